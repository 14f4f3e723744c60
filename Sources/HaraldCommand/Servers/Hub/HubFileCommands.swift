import ArgumentParser
import Explorer
import Foundation
import HealthHub
import HealthHubWeb

/// Returns the absolute path of a file, for the hub, which may run in another directory.
func absolutePath(_ file: String) -> String {
    file.hasPrefix("/") ? file : FileManager.default.currentDirectoryPath + "/" + file
}

struct HubBackupCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the store while the hub runs.")
    @Argument(help: ArgumentHelp("The new file.", valueName: "FILE")) var file: String
    @OptionGroup var place: HubPlace
    func perform() async throws { try await place.run(.backup(path: absolutePath(file))) }
}

struct HubRestoreCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the store by a backup.",
        discussion: """
            No hub may have the store open. The previous store is kept in the same directory, with the time in its \
            name. What was stored since the backup is lost. Tokens that were revoked, accounts that were removed and \
            people who were deleted since do not come back, and passwords that were changed stay so, if the present \
            store can be read. If it cannot, the command says so, and on a terminal asks before it starts.
            """)
    @Argument(help: ArgumentHelp("The backup.", valueName: "FILE")) var file: String
    @Flag(help: "Bring back the tokens, accounts and people that were removed since the backup, too.")
    var withRemoved = false
    @OptionGroup var place: HubPlace
    func perform() async throws {
        let path = try place.path()
        guard !place.isAddress else {
            throw ProgramError(.usage, "a store in PostgreSQL is restored by the server's tools, such as pg_restore")
        }
        guard let lock = try StoreLock(path: path) else {
            throw HubProblem(.conflict, "a hub has \(path) open; stop the hub first")
        }
        let earlier = try withExtendedLifetime(lock) {
            try HubStore.restore(absolutePath(file), to: path, withRemoved: withRemoved) { try confirm($0) }
        }
        guard !place.json else {
            return Console.json(["restored": .string(path), "earlier": .optional(earlier)])
        }
        Console.line("restored \(path)" + (earlier.map { "; the previous store is \($0)" } ?? ""))
    }
}

extension HubRestoreCommand {
    /// Says what was removed since the backup; asks on a terminal if that is not known.
    private func confirm(_ removed: RemovedSince?) throws {
        if let removed {
            guard !removed.isEmpty else { return }
            let outcome = withRemoved ? "come back" : "do not come back (--with-removed brings them back)"
            return Console.message("removed since the backup: \(TerminalText.safe(removed.text)); these \(outcome)")
        }
        Console.message(
            "the present store is missing, damaged, or not the one of the backup: tokens that were revoked, accounts "
                + "that were removed and people who were deleted since the backup come back")
        guard TerminalInput.isInteractive else { return }
        Console.writeError("restore it? [y/N] ")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw HubProblem(.conflict, "nothing was restored")
        }
    }
}

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

struct HubImportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import readings of a person from comma-separated values.",
        discussion: """
            The first line has the heads of the columns, from which their meanings are guessed: date, time, systolic, \
            diastolic, pulse, weight, body fat, temperature, oxygen saturation, glucose; the separator is a comma, a \
            semicolon or a tab. --dry-run shows the guess, the first readings and the lines that cannot be imported. A \
            file that is imported again stores nothing twice.

            EXAMPLES
              harald hub import omron.csv --person 1 --dry-run
              harald hub import diary.csv --person 1 --column 'BZ=glucose mmol/L' --column Notiz=- --dates dmy
            """)
    @Argument(help: ArgumentHelp("The file.", valueName: "FILE")) var file: String
    @Option(help: ArgumentHelp("The person to whom the readings belong.", valueName: "id")) var person: Int64
    @Option(
        help: ArgumentHelp(
            "The meaning of a column: date, time, a quantity with its unit, or - for none; can be repeated.",
            valueName: "HEAD=MEANING"))
    var column: [String] = []
    @Option(help: ArgumentHelp("The order of dates such as 03/04/2026: dmy or mdy.", valueName: "order"))
    var dates: String?
    @Flag(help: "Show what would be imported, and store nothing.") var dryRun = false
    @OptionGroup var place: HubPlace

    func validate() throws {
        if let dates, CSVImport.DateOrder(rawValue: dates) == nil {
            throw ValidationError("--dates must be dmy or mdy")
        }
        guard column.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--column must be HEAD=MEANING") }
    }

    func perform() async throws {
        try ReadableFile.check(file)
        let octets = try Data(contentsOf: URL(filePath: file))
        guard octets.count <= 32 << 20 else { throw ProgramError(.usage, "\(file) is larger than 32 MiB; split it") }
        var columns: [String: String] = [:]
        for one in column {
            let index = one.lastIndex(of: "=") ?? one.startIndex
            columns[String(one[..<index])] = String(one[one.index(after: index)...])
        }
        try await place.run(
            .importReadings(
                text: CSVImport.text(of: octets), person: person, columns: columns, order: dates, isDryRun: dryRun))
    }
}

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
