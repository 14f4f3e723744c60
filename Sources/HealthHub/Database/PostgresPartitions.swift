import Foundation

/// The partition of the readings of a month in UTC. Readings before 2020 share one.
struct PostgresPartition {
    let name: String
    /// The times in seconds since 1970.
    let times: Range<Int64>

    init(at time: Date) {
        func start(_ year: Int, _ month: Int) -> Int64 {
            let date = Person.calendar.date(from: DateComponents(year: year, month: month, day: 1))
            return Int64((date ?? .distantPast).timeIntervalSince1970)
        }
        let parts = Person.calendar.dateComponents([.year, .month], from: time)
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
        if try hasPartition(for: second) { return }
        try run("SELECT pg_advisory_xact_lock(\(PostgresLock.partitions.rawValue))", [])
        if try hasPartition(for: second) { return }
        let partition = PostgresPartition(at: time)
        try add(partition)
        partitions.append(partition.times)
    }

    /// Reads the times of the attached partitions.
    /// - Returns: true if one of them contains the time.
    /// - Throws: ``HubProblem`` if that one is being detached: it accepts no rows, and no other one of its time can be
    ///   attached.
    private func hasPartition(for second: Int64) throws -> Bool {
        // A bound is MINVALUE, MAXVALUE or a number in quotes; the default partition has none.
        let attached = try rows(
            """
            SELECT relname, inhdetachpending,
            CAST(substring(bound FROM 'FROM [(]''?(-?[0-9]+)') AS bigint) AS beginning,
            CAST(substring(bound FROM 'TO [(]''?(-?[0-9]+)') AS bigint) AS ending
            FROM (SELECT relname, inhdetachpending, pg_get_expr(relpartbound, pg_class.oid) AS bound
            FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = CAST('reading' AS regclass)) AS partition
            """)
        partitions = []
        for row in attached {
            let times = (row["beginning"] as Int64? ?? .min)..<(row["ending"] as Int64? ?? .max)
            if row["inhdetachpending"] as Bool == false {
                partitions.append(times)
            } else if times.contains(second) {
                let name: String = row["relname"]
                throw HubProblem(
                    .unavailable,
                    "the partition '\(name)' is being detached; if that was interrupted, complete it with "
                        + "ALTER TABLE reading DETACH PARTITION \(name) FINALIZE")
            }
        }
        return partitions.contains { $0.contains(second) }
    }

    /// Adds a partition. Attaching it blocks neither readers nor writers, unlike `CREATE TABLE ... PARTITION OF`. If
    /// a detached partition has its name, the name of the new one ends with a number.
    private func add(_ partition: PostgresPartition) throws {
        var (name, number) = (partition.name, 1)
        while try value("SELECT to_regclass(?) IS NULL", [name]) as Bool? != true {
            number += 1
            name = "\(partition.name)_\(number)"
        }
        let start = partition.times.lowerBound == .min ? "MINVALUE" : String(partition.times.lowerBound)
        try execute(
            """
            CREATE TABLE \(name) (LIKE reading INCLUDING ALL);
            ALTER TABLE reading ATTACH PARTITION \(name)
            FOR VALUES FROM (\(start)) TO (\(partition.times.upperBound))
            """)
    }
}
