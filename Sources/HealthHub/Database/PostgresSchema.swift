/// The numbers of advisory locks. They are valid in one database.
enum PostgresLock: Int64 {
    /// Excludes other migrations.
    case migration = 0x6861_7261_6C64_0001
    /// Shared by transactions that write readings; exclusive for changes on which they depend.
    case store
    /// Excludes other transactions that add devices.
    case devices
    /// Excludes other transactions that add partitions.
    case partitions
}

extension PostgresConnection {
    /// The number of the present schema. Development versions before 0.9.0 had lower ones.
    private static let schema: Int64 = 23

    /// Creates the tables if there are none. Other hubs wait meanwhile.
    /// - Throws: ``HubProblem`` for a store of another, incompatible version, and if the database has tables of another
    ///   program.
    func createTables(_ address: PostgresAddress) throws {
        try execute("SELECT pg_advisory_xact_lock(\(PostgresLock.migration.rawValue))")
        if try value("SELECT to_regclass('migration') IS NULL") as Bool? ?? true {
            if let name = try value("SELECT CAST(to_regclass('reading') AS text)") as String? {
                throw HubProblem(
                    .conflict, "the database has a table '\(name)' of another program; create a database for the hub")
            }
            // `compatible` is the number of the earliest schema whose hubs can also use this one, so that they can run
            // during an update.
            try execute("CREATE TABLE migration(number BIGINT PRIMARY KEY, compatible BIGINT NOT NULL)")
        }
        let present = try row("SELECT max(number) AS number, max(compatible) AS compatible FROM migration", [])
        guard let number = present?["number"] as Int64? else {
            try execute(StoreSchema.sql(.postgres))
            try HubStore.addIdentity(self)
            try run("INSERT INTO migration(number, compatible) VALUES (?, ?)", [Self.schema, Self.schema])
            return
        }
        guard number >= Self.schema else { throw HubProblem.developmentStore(address.shown) }
        guard present?["compatible"] as Int64? ?? 0 <= Self.schema else { throw HubProblem.newerStore(address.shown) }
    }
}
