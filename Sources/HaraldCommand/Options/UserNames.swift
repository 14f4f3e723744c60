import ArgumentParser
import BluetoothProfiles
import Explorer
import Foundation
import VirtualDevices

/// The options `--names` and `--formats` of commands without an adapter; `SharedOptions` has them too.
struct NamesOption: ParsableArguments, Sendable {
    @Option(help: UserNames.help)
    var names: String?

    @Option(help: UserFormats.help, completion: .file())
    var formats: String?
}

/// Names of UUIDs from the user's file. They are loaded before the command line is parsed, which may use them.
enum UserNames {
    static let help = ArgumentHelp(
        "Names for UUIDs of vendors, one 'UUID: Name' per line (default: harald/names.yaml in the user's configuration "
            + "directory).", valueName: "file")

    /// Loads the file given by `--names`, else the user's file if it exists. Ends the program if the file is invalid.
    static func load(_ arguments: some Sequence<String>) {
        guard !isHelp(arguments) else { return }
        let file = value(of: "--names", in: arguments)
        do {
            try NameFile.load(file)
        } catch {
            Console.message(error.message)
            let isMissing = file.map { access($0, R_OK) != 0 } ?? false
            exit((isMissing ? ExitStatus.notFound : .badFile).rawValue)
        }
    }

    /// True for requests of help, for which an invalid file is no obstacle.
    static func isHelp(_ arguments: some Sequence<String>) -> Bool {
        let words: Set = ["--help", "-h", "help", "--version", "--generate-completion-script"]
        return arguments.contains(where: words.contains)
    }

    /// The value of an option; nil if it is not given. The parser reports a missing value.
    static func value(of option: String, in arguments: some Sequence<String>) -> String? {
        var isNext = false
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if isNext { return argument }
            if argument.hasPrefix(option + "=") { return String(argument.dropFirst(option.count + 1)) }
            isNext = argument == option
        }
        return nil
    }
}

/// Formats of advertised values from the user's file, for the whole program.
enum UserFormats {
    static let help = ArgumentHelp(
        "Formats of advertised values, a YAML file (default: harald/formats.yaml in the user's configuration directory; "
            + "Documentation/AdvertisedValues.md).", valueName: "file")

    /// Loads the file given by `--formats`, else the user's file if it exists. Ends the program if the file is invalid.
    static func load(_ arguments: some Sequence<String>) {
        guard !UserNames.isHelp(arguments) else { return }
        do {
            try load(UserNames.value(of: "--formats", in: arguments))
        } catch {
            Console.message("\(error)")
            exit((error.isMissing ? ExitStatus.notFound : .badFile).rawValue)
        }
    }

    /// Loads a file.
    /// - Parameter path: the file; nil for the default one, which may be missing.
    /// - Throws: `DeviceFileError` with line and column.
    static func load(_ path: String?) throws(DeviceFileError) {
        let standard = NameFile.defaultPath()?.replacing("names.yaml", with: "formats.yaml")
        guard let file = path ?? standard, path != nil || FileManager.default.fileExists(atPath: file) else { return }
        AdvertisedFormats.declared = try FormatFile.read(file)
    }
}
