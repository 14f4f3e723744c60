import BluetoothModel
import Foundation

/// Feeds random inputs to the decoders and state machines: those of files, those of the corpus, or, in the build of
/// `make fuzz`, those that libFuzzer generates to reach new code.
@main
struct HaraldFuzz {
    private static let help = """
        harald-fuzz list                      lists the targets, one per line
        harald-fuzz replay [TARGET [FILE...]] runs the files; without files, the corpus; without a target, every corpus
        harald-fuzz unpack TARGET DIRECTORY   writes the corpus and the initial inputs as files
        harald-fuzz pack TARGET DIRECTORY     creates the corpus from the files in a directory
        harald-fuzz fuzz TARGET [OPTION...]   runs libFuzzer; only in a build of Scripts/fuzz.sh

        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try run(arguments)
        } catch {
            FileHandle.standardError.write(Data("harald-fuzz: \(error)\n".utf8))
            exit(error is Misuse ? 64 : 1)
        }
    }

    /// Invalid arguments.
    private struct Misuse: Error, CustomStringConvertible {
        var description: String
    }

    private static func run(_ arguments: [String]) throws {
        if let name = ProcessInfo.processInfo.environment[LibFuzzer.targetVariable], arguments.first?.first == "-" {
            try LibFuzzer.run(try target(["fuzz", name]), options: arguments)
            return
        }
        let rest = Array(arguments.dropFirst(2))
        switch arguments.first {
        case "list": for target in FuzzTarget.all { print(target.name, target.maximumLength, target.summary) }
        case "replay" where arguments.count == 1: try FuzzTarget.all.forEach { try replay($0, files: []) }
        case "replay": try replay(try target(arguments), files: rest)
        case "unpack" where rest.count == 1: try unpack(try target(arguments), rest[0])
        case "pack" where rest.count == 1: try pack(try target(arguments), rest[0])
        case "fuzz": try LibFuzzer.run(try target(arguments), options: rest)
        case nil, "--help": print(help, terminator: "")
        default: throw Misuse(description: "'\(arguments.joined(separator: " "))' is not a command\n\n\(help)")
        }
    }

    private static func target(_ arguments: [String]) throws -> FuzzTarget {
        guard arguments.count > 1 else { throw Misuse(description: "'\(arguments[0])' requires a target\n\n\(help)") }
        guard let target = FuzzTarget.named(arguments[1]) else {
            let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
            throw Misuse(description: "there is no target '\(arguments[1])'; the targets are \(names)")
        }
        return target
    }

    private static func replay(_ target: FuzzTarget, files: [String]) throws {
        var inputs = try files.map { try (name: $0, bytes: [UInt8](Data(contentsOf: URL(fileURLWithPath: $0)))) }
        if files.isEmpty {
            inputs = try (target.seeds() + Corpus(of: target).inputs).map { (name: $0.hexText(), bytes: $0) }
        }
        for input in inputs {
            do throws(Finding) {
                try target.run(input.bytes)
            } catch {
                throw Finding("\(target.name): \(input.name): \(error)")
            }
        }
        print("\(target.name): \(inputs.count) inputs, no findings")
    }

    private static func unpack(_ target: FuzzTarget, _ directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (index, bytes) in try (target.seeds() + Corpus(of: target).inputs).enumerated() {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/seed-\(index)"))
        }
    }

    private static func pack(_ target: FuzzTarget, _ directory: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        let inputs = try files.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\($0)"))) }
        try FileManager.default.createDirectory(atPath: Corpus.directory, withIntermediateDirectories: true)
        let path = "\(Corpus.directory)/\(target.name).hex"
        try Data(Corpus.text(inputs).utf8).write(to: URL(fileURLWithPath: path))
        print("\(path): \(inputs.count) inputs")
    }
}

extension FuzzTarget {
    /// Takes one input.
    func run(_ bytes: [UInt8]) throws(Finding) {
        let result = bytes.withByteView { view in Result { () throws(Finding) in try run(view) } }
        try result.get()
    }
}
