#if Programs
import Foundation

/// The partition of the readings of a month in UTC. Readings before 2020 share one.
struct PostgresPartition {
    /// The name of the table.
    let name: String
    /// The times in seconds since 1970.
    let times: Range<Int64>

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    init(at time: Date) {
        func start(_ year: Int, _ month: Int) -> Int64 {
            let date = Self.calendar.date(from: DateComponents(year: year, month: month, day: 1))
            return Int64((date ?? .distantPast).timeIntervalSince1970)
        }
        let parts = Self.calendar.dateComponents([.year, .month], from: time)
        let (year, month) = (parts.year ?? 0, parts.month ?? 1)
        if year < 2020 {
            (name, times) = ("reading_before_2020", Int64.min..<start(2020, 1))
        } else {
            name = "reading_\(year)_\(month < 10 ? "0" : "")\(month)"
            times = start(year, month)..<start(year, month + 1)
        }
    }
}

extension PostgresConnection {
    func prepareForReading(at time: Date) throws {
        let second = Int64(time.timeIntervalSince1970.rounded(.down))
        guard !partitions.contains(where: { $0.contains(second) }) else { return }
        let partition = PostgresPartition(at: time)
        let exists = """
            SELECT EXISTS(SELECT 1 FROM pg_inherits WHERE inhparent = CAST('reading' AS regclass)
            AND inhrelid = to_regclass(?))
            """
        if try !isTrue(exists, [partition.name]) {
            try run("SELECT pg_advisory_xact_lock(\(PostgresLock.partitions.rawValue))", [])
            if try !isTrue(exists, [partition.name]) { try add(partition) }
        }
        partitions.append(partition.times)
    }

    /// Adds a partition. Attaching it blocks neither readers nor writers, unlike `CREATE TABLE ... PARTITION OF`.
    private func add(_ partition: PostgresPartition) throws {
        guard try value("SELECT to_regclass(?) IS NULL", [partition.name]) as Bool? == true else {
            throw HubProblem(
                .unavailable, "the partition '\(partition.name)' was detached; rename or drop it for late readings")
        }
        let start = partition.times.lowerBound == .min ? "MINVALUE" : String(partition.times.lowerBound)
        try execute(
            """
            CREATE TABLE \(partition.name) (LIKE reading INCLUDING ALL);
            ALTER TABLE reading ATTACH PARTITION \(partition.name)
            FOR VALUES FROM (\(start)) TO (\(partition.times.upperBound))
            """)
    }
}
#endif
