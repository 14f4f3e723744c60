import GRDB

/// The tables of a store in SQLite, and the migrations from earlier versions.
enum Schema {
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 people, devices, readings") { db in try db.execute(sql: first) }
        migrator.registerMigration("2 forwarding") { db in try db.execute(sql: second) }
        migrator.registerMigration("3 settings of people") { db in
            try db.execute(sql: "ALTER TABLE person ADD COLUMN settings TEXT")
        }
        migrator.registerMigration("4 accounts") { db in
            try db.execute(
                sql: """
                    CREATE TABLE user(
                        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
                        hash TEXT NOT NULL, created INTEGER NOT NULL);
                    CREATE TABLE audit(
                        id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, who TEXT NOT NULL,
                        action TEXT NOT NULL);
                    """)
        }
        // Deleted people whose configuration a broker still retains.
        migrator.registerMigration("5 departed people") { db in
            try db.execute(
                sql: """
                    CREATE TABLE departed(
                        receiver_id INTEGER NOT NULL, person_id INTEGER NOT NULL,
                        PRIMARY KEY(receiver_id, person_id)) WITHOUT ROWID;
                    """)
        }
        // Hubs that share a database distinguish the leases of a lane.
        migrator.registerMigration("6 leases") { db in
            try db.execute(sql: "ALTER TABLE lane ADD COLUMN fence INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("7 states of forwarded readings, identities of people") { db in
            try db.execute(
                sql: """
                    ALTER TABLE forwarded ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE person ADD COLUMN identity TEXT;
                    """)
        }
        migrator.registerMigration("8 values that count") { db in try HubStore.updateStatistics(db) }
        migrator.registerMigration("9 devices that are one, and devices with the same serial number") { db in
            try db.execute(
                sql: """
                    ALTER TABLE device ADD COLUMN merged_into INTEGER;
                    ALTER TABLE device ADD COLUMN relatives INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE device ADD COLUMN mixed_until INTEGER;
                    CREATE INDEX device_by_merger ON device(merged_into) WHERE merged_into IS NOT NULL;
                    CREATE TABLE duplicate(reading_id INTEGER PRIMARY KEY, original_id INTEGER NOT NULL);
                    CREATE INDEX duplicate_by_original ON duplicate(original_id);
                    """)
            try HubStore.updateDevices(db)
        }
        migrator.registerMigration("10 identifiers of forwarded observations") { db in
            try db.execute(sql: "ALTER TABLE forwarded ADD COLUMN observation TEXT")
        }
        migrator.registerMigration("11 devices of gateways") { db in
            try db.execute(
                sql: """
                    CREATE TABLE gateway_device(
                        gateway_id INTEGER NOT NULL REFERENCES gateway(id),
                        device_id INTEGER NOT NULL REFERENCES device(id), user_index INTEGER NOT NULL,
                        PRIMARY KEY(gateway_id, device_id, user_index)) WITHOUT ROWID;
                    CREATE INDEX gateway_device_by_device ON gateway_device(device_id);
                    """)
            try HubStore.findSenders(db)
        }
        migrator.registerMigration("12 numbers of devices in the audit log") { db in try HubStore.updateAudit(db) }
        // Deletions after which the files were not cleaned yet.
        migrator.registerMigration("13 erasures") { db in
            try db.execute(
                sql: "CREATE TABLE erasure(id INTEGER PRIMARY KEY AUTOINCREMENT, requested INTEGER NOT NULL)")
        }
        migrator.registerMigration("14 digests of the names of devices") { db in
            try db.execute(
                sql: """
                    ALTER TABLE device ADD COLUMN digest BLOB;
                    CREATE INDEX device_by_digest ON device(digest) WHERE digest IS NOT NULL;
                    """)
            try HubStore.forgetNamesOfUnusedDevices(db)
        }
        // An unknown pulse or body mass index of 0, pressures in kPa, and a systolic pressure below the diastolic.
        migrator.registerMigration("15 values that count, units of pressures") { db in
            try HubStore.updateStatistics(db)
        }
        migrator.registerMigration("16 attempts of messages") { db in
            try db.execute(sql: "ALTER TABLE outbox ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("17 keys that differ from those of other hubs, readings as sent") { db in
            try db.execute(
                sql: """
                    ALTER TABLE device ADD COLUMN seed BLOB;
                    ALTER TABLE reading ADD COLUMN received INTEGER;
                    ALTER TABLE reading ADD COLUMN sent_id TEXT;
                    """)
        }
        // The Observations that gateways sent, and readings whose Observations are entered in error.
        migrator.registerMigration("18 retracted readings") { db in
            try db.execute(
                sql: """
                    ALTER TABLE reading ADD COLUMN retracted INTEGER;
                    CREATE TABLE observation(
                        reading_id INTEGER NOT NULL, gateway_id INTEGER NOT NULL, digest BLOB NOT NULL,
                        retracted INTEGER NOT NULL, PRIMARY KEY(reading_id, gateway_id, digest)) WITHOUT ROWID;
                    CREATE INDEX observation_by_digest ON observation(digest);
                    """)
        }
        // SQLite cannot remove the NOT NULL of a column.
        migrator.registerMigration("19 user indexes of nobody, placeholders of devices") { db in
            try db.execute(
                sql: """
                    CREATE TABLE next_assignment(
                        device_id INTEGER NOT NULL REFERENCES device(id), user_index INTEGER NOT NULL,
                        person_id INTEGER REFERENCES person(id), PRIMARY KEY(device_id, user_index)) WITHOUT ROWID;
                    INSERT INTO next_assignment(device_id, user_index, person_id)
                    SELECT device_id, user_index, person_id FROM assignment;
                    DROP TABLE assignment;
                    ALTER TABLE next_assignment RENAME TO assignment;
                    """)
            try db.execute(sql: HubStore.placeholderRemoval)
        }
        migrator.registerMigration("20 identities of all people") { db in try HubStore.addIdentities(db) }
        // One row: the identity distinguishes the devices and gateways of the store from those of other hubs.
        migrator.registerMigration("21 identity of the store") { db in
            try db.execute(
                sql: "CREATE TABLE hub(number INTEGER PRIMARY KEY CHECK(number = 1), identity TEXT NOT NULL)")
            try HubStore.addIdentity(db)
        }
        migrator.registerMigration("22 hubs that readings have passed") { db in
            try db.execute(sql: "ALTER TABLE reading ADD COLUMN hubs TEXT")
        }
        migrator.registerMigration("23 scopes of tokens and accounts, who read the data of whom") { db in
            for statement in HubStore.scopeMigration(.sqlite) { try db.execute(sql: statement) }
        }
        migrator.registerMigration("24 decisions about single readings") { db in
            for statement in HubStore.decisionMigration { try db.execute(sql: statement) }
        }
        migrator.registerMigration("25 notes, and notices that were seen") { db in
            for statement in HubStore.noteMigration(.sqlite) { try db.execute(sql: statement) }
        }
        migrator.registerMigration("26 notices that are sent") { db in
            for statement in HubStore.notifierMigration(.sqlite) { try db.execute(sql: statement) }
        }
        migrator.registerMigration("27 readings of uncertain time") { db in
            try db.execute(sql: HubStore.noticeMigration)
        }
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
