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
        guard !place.isAddress else {
            throw ProgramError(.usage, "a store in PostgreSQL is restored by the server's tools, such as pg_restore")
        }
        guard let lock = try StoreLock(path: path) else {
            throw HubProblem(.conflict, "a hub has \(path) open; stop the hub first")
        }
        let earlier = try withExtendedLifetime(lock) { try HubStore.restore(absolutePath(file), to: path) }
        guard !place.json else {
            return Console.json(["restored": .string(path), "earlier": .optional(earlier)])
        }
        Console.line("restored \(path)" + (earlier.map { "; the previous store is \($0)" } ?? ""))
    }
}

/// `harald hub copy`
struct HubCopyCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a store into a PostgreSQL database, and compare both.",
        discussion: """
            No hub may have either store open. The database must be empty; a copy that was interrupted continues. Both \
            stores are read again after the copy, and the command fails unless all rows are equal.

            EXAMPLES
              harald hub copy --from hub.sqlite --to postgres://hub@db.example/hub
            """)
    @Option(help: ArgumentHelp("The file of the store, or its address in PostgreSQL.", valueName: "store"))
    var from: String
    @Option(help: ArgumentHelp("The address of the database.", valueName: "postgres://USER@HOST/DATABASE"))
    var to: String
    @Flag(help: "Print one JSON object; messages go to standard error.") var json = false

    func perform() async throws {
        let (from, to, json) = (from, to, json)
        let digests = try await withCheckedThrowingContinuation { continuation in
            // Blocks on both stores, in place of a thread of Swift's pool.
            DispatchQueue.global().async { continuation.resume(with: Result { try Self.copy(from, to) }) }
        }
        let target = digests.target
        guard json else {
            return Console.line(
                "copied \(target.people.counted("person", "people")), \(target.devices.counted("device")) and "
                    + "\(target.readings.counted("reading")); "
                    + "both stores have the digest \(target.hash)")
        }
        func object(_ digest: StoreDigest) -> [String: JSONValue] {
            [
                "people": .int(digest.people), "devices": .int(digest.devices),
                "readings": .int(digest.readings), "hash": .string(digest.hash),
            ]
        }
        let sides: [String: JSONValue] = ["from": .object(object(digests.source)), "to": .object(object(target))]
        Console.json(.object(object(target).merging(sides) { $1 }))
    }

    private static func copy(_ from: String, _ to: String) throws -> (source: StoreDigest, target: StoreDigest) {
        guard let address = try PostgresAddress(to) else {
            throw HubProblem(.invalid, "'\(to)' is not an address; use --to postgres://USER@HOST/DATABASE")
        }
        var lock: StoreLock?
        let source: HubStore
        if let address = try PostgresAddress(from) {
            source = try HubStore(address, assessor: Assessor())
        } else {
            guard FileManager.default.fileExists(atPath: from) else {
                throw HubProblem(.notFound, "the file \(from) does not exist")
            }
            lock = try StoreLock(path: from)
            guard lock != nil else { throw HubProblem(.conflict, "a hub has \(from) open; stop the hub first") }
            source = try HubStore(path: from, assessor: Assessor())
        }
        return try withExtendedLifetime(lock) {
            defer { try? source.close() }
            var shown = ContinuousClock.now
            return try StoreCopy(from: source, to: address).run { count in
                guard .now - shown > .seconds(5) else { return }
                shown = .now
                Console.message("\(count.counted("reading")) copied")
            }
        }
    }
}

/// `harald hub export`
struct HubExportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write readings to a file while the hub runs.",
        discussion: """
            csv has one line per quantity; jsonl has one reading per line, in the form of 'POST /api/v1/readings'; \
            fhir has one FHIR R4 Bundle per line, of 1,000 entries at most, which a FHIR server accepts as a \
            transaction.
            """)
    @Argument(help: ArgumentHelp("The new file.", valueName: "FILE")) var file: String
    @Option(help: "csv, jsonl or fhir.") var format: ExportFormat
    @Option(help: ArgumentHelp("Only the readings of this person.", valueName: "ID")) var person: Int64?
    @OptionGroup var place: HubPlace
    func perform() async throws {
        try await place.run(.export(path: absolutePath(file), format: format, person: person))
    }
}
