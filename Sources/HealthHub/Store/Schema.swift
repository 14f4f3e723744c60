import GRDB

/// The tables of a store in SQLite, and the migrations from earlier versions.
enum Schema {
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        func add(
            _ name: String, _ sql: String? = nil, _ change: @escaping @Sendable (Database) throws -> Void = { _ in }
        ) {
            migrator.registerMigration(name) { db in
                if let sql { try db.execute(sql: sql) }
                try change(db)
            }
        }
        add("1 people, devices, readings", first)
        add("2 forwarding", second)
        add("3 settings of people", "ALTER TABLE person ADD COLUMN settings TEXT")
        add(
            "4 accounts",
            """
            CREATE TABLE user(
                id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
                hash TEXT NOT NULL, created INTEGER NOT NULL);
            CREATE TABLE audit(
                id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, who TEXT NOT NULL,
                action TEXT NOT NULL);
            """)
        // Deleted people whose configuration a broker still retains.
        add(
            "5 departed people",
            """
            CREATE TABLE departed(
                receiver_id INTEGER NOT NULL, person_id INTEGER NOT NULL,
                PRIMARY KEY(receiver_id, person_id)) WITHOUT ROWID;
            """)
        // Hubs that share a database distinguish the leases of a lane.
        add("6 leases", "ALTER TABLE lane ADD COLUMN fence INTEGER NOT NULL DEFAULT 0")
        add(
            "7 states of forwarded readings, identities of people",
            """
            ALTER TABLE forwarded ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE person ADD COLUMN identity TEXT;
            """)
        add("8 values that count") { try HubStore.updateStatistics($0) }
        add(
            "9 devices that are one, and devices with the same serial number",
            """
            ALTER TABLE device ADD COLUMN merged_into INTEGER;
            ALTER TABLE device ADD COLUMN relatives INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE device ADD COLUMN mixed_until INTEGER;
            CREATE INDEX device_by_merger ON device(merged_into) WHERE merged_into IS NOT NULL;
            CREATE TABLE duplicate(reading_id INTEGER PRIMARY KEY, original_id INTEGER NOT NULL);
            CREATE INDEX duplicate_by_original ON duplicate(original_id);
            """
        ) { try HubStore.updateDevices($0) }
        add("10 identifiers of forwarded observations", "ALTER TABLE forwarded ADD COLUMN observation TEXT")
        add(
            "11 devices of gateways",
            """
            CREATE TABLE gateway_device(
                gateway_id INTEGER NOT NULL REFERENCES gateway(id),
                device_id INTEGER NOT NULL REFERENCES device(id), user_index INTEGER NOT NULL,
                PRIMARY KEY(gateway_id, device_id, user_index)) WITHOUT ROWID;
            CREATE INDEX gateway_device_by_device ON gateway_device(device_id);
            """
        ) { try HubStore.findSenders($0) }
        add("12 numbers of devices in the audit log") { try HubStore.updateAudit($0) }
        // Deletions after which the files were not cleaned yet.
        add(
            "13 erasures", "CREATE TABLE erasure(id INTEGER PRIMARY KEY AUTOINCREMENT, requested INTEGER NOT NULL)")
        add(
            "14 digests of the names of devices",
            """
            ALTER TABLE device ADD COLUMN digest BLOB;
            CREATE INDEX device_by_digest ON device(digest) WHERE digest IS NOT NULL;
            """
        ) { try HubStore.forgetNamesOfUnusedDevices($0) }
        // An unknown pulse or body mass index of 0, pressures in kPa, and a systolic pressure below the diastolic.
        add("15 values that count, units of pressures") { try HubStore.updateStatistics($0) }
        add("16 attempts of messages", "ALTER TABLE outbox ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0")
        add(
            "17 keys that differ from those of other hubs, readings as sent",
            """
            ALTER TABLE device ADD COLUMN seed BLOB;
            ALTER TABLE reading ADD COLUMN received INTEGER;
            ALTER TABLE reading ADD COLUMN sent_id TEXT;
            """)
        // The Observations that gateways sent, and readings whose Observations are entered in error.
        add(
            "18 retracted readings",
            """
            ALTER TABLE reading ADD COLUMN retracted INTEGER;
            CREATE TABLE observation(
                reading_id INTEGER NOT NULL, gateway_id INTEGER NOT NULL, digest BLOB NOT NULL,
                retracted INTEGER NOT NULL, PRIMARY KEY(reading_id, gateway_id, digest)) WITHOUT ROWID;
            CREATE INDEX observation_by_digest ON observation(digest);
            """)
        // SQLite cannot remove the NOT NULL of a column.
        add(
            "19 user indexes of nobody, placeholders of devices",
            """
            CREATE TABLE next_assignment(
                device_id INTEGER NOT NULL REFERENCES device(id), user_index INTEGER NOT NULL,
                person_id INTEGER REFERENCES person(id), PRIMARY KEY(device_id, user_index)) WITHOUT ROWID;
            INSERT INTO next_assignment(device_id, user_index, person_id)
            SELECT device_id, user_index, person_id FROM assignment;
            DROP TABLE assignment;
            ALTER TABLE next_assignment RENAME TO assignment;
            \(HubStore.placeholderRemoval)
            """)
        add("20 identities of all people") { try HubStore.addIdentities($0) }
        // One row: the identity distinguishes the devices and gateways of the store from those of other hubs.
        add(
            "21 identity of the store",
            "CREATE TABLE hub(number INTEGER PRIMARY KEY CHECK(number = 1), identity TEXT NOT NULL)"
        ) { try HubStore.addIdentity($0) }
        add("22 hubs that readings have passed", "ALTER TABLE reading ADD COLUMN hubs TEXT")
        add("23 scopes of tokens and accounts, who read the data of whom", HubStore.scopeMigration(.sqlite))
        add("24 decisions about single readings", HubStore.decisionMigration)
        add("25 notes, and notices that were seen", HubStore.noteMigration(.sqlite))
        add("26 notices that are sent", HubStore.notifierMigration(.sqlite))
        add("27 readings of uncertain time", HubStore.noticeMigration)
        return migrator
    }()

    // `device.merged_into` is the device that a device turned out to be; `relatives` is 1 if other rows may have its
    // readings; `mixed_until` is the time until which the row may have readings of another device with the same serial
    // number; `digest` is that of an erased name; `seed` is in the keys of its readings. `duplicate` lists readings
    // that turned out to be copies when devices were merged; they have no person. `assignment.person_id` is NULL for a
    // user index that belongs to nobody, although the whole device may be assigned.

    // A lane consists of the messages for one receiver and one person. `forwarded` lists the readings that were queued
    // for a receiver on behalf of a person, with a ``ForwardingState``; they are retracted if they turn out to belong
    // to another person. `forwarded.observation` is the identifier under which a FHIR server has the reading.
    // `outbox.attempts` is the number of attempts whose outcome may be unknown.
    private static let second = """
        CREATE TABLE receiver(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, url TEXT NOT NULL,
            secret TEXT, options TEXT NOT NULL, created INTEGER NOT NULL, last_error TEXT);
        CREATE TABLE outbox(
            id INTEGER PRIMARY KEY AUTOINCREMENT, receiver_id INTEGER NOT NULL, person_id INTEGER NOT NULL,
            reading_id INTEGER NOT NULL, retraction INTEGER NOT NULL, message_id TEXT NOT NULL,
            created INTEGER NOT NULL, parked INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX outbox_by_lane ON outbox(receiver_id, parked, person_id, id);
        CREATE TABLE lane(
            receiver_id INTEGER NOT NULL, person_id INTEGER NOT NULL, lease_until INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0, next_attempt INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY(receiver_id, person_id)) WITHOUT ROWID;
        CREATE TABLE forwarded(
            receiver_id INTEGER NOT NULL, reading_id INTEGER NOT NULL, person_id INTEGER NOT NULL,
            PRIMARY KEY(receiver_id, reading_id, person_id)) WITHOUT ROWID;
        """

    // Times are seconds since 1970 in UTC. `reading.key` identifies a reading; `v1` to `v3` are the stored quantities
    // of its kind in canonical units; `unit` is 1 if the value was sent in mmol/L or kPa. `raw` has the octets of the
    // device; numbers with their digits and units are decoded from it again, or stored in `fields`. `received` is the
    // time of reception as sent, in microseconds since 1970; `sent_id` is the identifier of the gateway's queue, if it
    // identifies the reading. `retracted` is an ``Exclusion``; NULL for a reading that counts.
    // `hubs` has the identities of the hubs that it has passed, separated by spaces.
    private static let first = """
        CREATE TABLE person(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, born TEXT NOT NULL, guideline TEXT NOT NULL,
            setting TEXT NOT NULL, pregnant INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL);
        CREATE TABLE device(
            id INTEGER PRIMARY KEY AUTOINCREMENT, serial TEXT, system_id TEXT, address TEXT, identifier TEXT, model TEXT,
            name TEXT, alias TEXT, last_contact INTEGER);
        CREATE INDEX device_by_serial ON device(serial);
        CREATE INDEX device_by_system_id ON device(system_id);
        CREATE INDEX device_by_address ON device(address);
        CREATE INDEX device_by_identifier ON device(identifier);
        CREATE INDEX device_by_alias ON device(alias);
        CREATE TABLE gateway(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, last_contact INTEGER NOT NULL);
        CREATE TABLE assignment(
            device_id INTEGER NOT NULL REFERENCES device(id), user_index INTEGER NOT NULL,
            person_id INTEGER NOT NULL REFERENCES person(id), PRIMARY KEY(device_id, user_index)) WITHOUT ROWID;
        CREATE TABLE reading(
            id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, person_id INTEGER REFERENCES person(id),
            device_id INTEGER NOT NULL REFERENCES device(id), gateway_id INTEGER REFERENCES gateway(id),
            kind INTEGER NOT NULL, user_index INTEGER, characteristic TEXT, taken INTEGER NOT NULL,
            arrived INTEGER NOT NULL, device_time TEXT, clock_offset REAL, sequence INTEGER, raw BLOB, fields TEXT,
            v1 REAL, v2 REAL, v3 REAL, unit INTEGER, simulated INTEGER NOT NULL DEFAULT 0);
        CREATE UNIQUE INDEX reading_by_key ON reading(key);
        CREATE INDEX reading_by_person ON reading(person_id, kind, taken);
        CREATE INDEX reading_by_device ON reading(device_id, user_index);
        CREATE TABLE gateway_person(
            gateway_id INTEGER NOT NULL REFERENCES gateway(id), person_id INTEGER NOT NULL REFERENCES person(id),
            PRIMARY KEY(gateway_id, person_id)) WITHOUT ROWID;
        CREATE TABLE forgotten(key BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE token(
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE, created INTEGER NOT NULL);
        """
}
