#if Programs
import ArgumentParser
import Explorer
import Foundation
import HealthHub
import HealthHubWeb

/// Returns the absolute path of a file, for the hub, which may run in another directory.
func absolutePath(_ file: String) -> String {
    file.hasPrefix("/") ? file : FileManager.default.currentDirectoryPath + "/" + file
}

/// `harald hub backup`
struct HubBackupCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the store while the hub runs.")
    @Argument(help: ArgumentHelp("The new file.", valueName: "FILE")) var file: String
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.backup(path: absolutePath(file))) }
}

/// `harald hub restore`
struct HubRestoreCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the store by a backup.",
        discussion: """
            No hub may have the store open. The previous store is kept in the same directory, with the time in its \
            name. Everything that was stored, deleted or revoked since the backup is lost.
            """)
    @Argument(help: ArgumentHelp("The backup.", valueName: "FILE")) var file: String
    @OptionGroup var place: HubPlace
    func perform() async throws {
        let path = try place.path()
        do {
            guard let lock = try StoreLock(path: path) else {
                throw HubProblem(.conflict, "a hub has \(path) open; stop the hub first")
            }
            let earlier = try withExtendedLifetime(lock) { try HubStore.restore(absolutePath(file), to: path) }
            guard !place.json else {
                return Console.json(["restored": .string(path), "earlier": .optional(earlier)])
            }
            Console.line("restored \(path)" + (earlier.map { "; the previous store is \($0)" } ?? ""))
        } catch let problem as HubProblem {
            throw ProgramError(problem.code.exitStatus, problem.description)
        }
    }
}

/// `harald hub export`
struct HubExportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write readings to a file while the hub runs.",
        discussion: """
            csv has one line per quantity; jsonl has one reading per line, in the form of 'POST /api/v1/readings'; \
            fhir is a FHIR R4 Bundle, which a FHIR server accepts as a transaction.
            """)
    @Argument(help: ArgumentHelp("The new file.", valueName: "FILE")) var file: String
    @Option(help: "csv, jsonl or fhir.") var format: ExportFormat
    @Option(help: ArgumentHelp("Only the readings of this person.", valueName: "ID")) var person: Int64?
    @OptionGroup var place: HubPlace
    func perform() async throws {
        try await place.run(.export(path: absolutePath(file), format: format, person: person))
    }
}
#endif
