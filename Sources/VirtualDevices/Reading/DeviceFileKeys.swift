#if Programs
/// The keys of device files and scenes.
extension FileKeys {
    /// All mappings of device files and scenes, in the order of the documentation.
    package static let deviceFiles = [
        device, advertise, manufacturerData, serviceData, service, characteristic, descriptor, value, waveform,
        heartRate,
        onWrite, reply, channel, scene, sceneDevice, faults,
    ]

    static let device = FileKeys(
        "a device",
        [
            Key(
                "name", "the GAP name, which is also advertised; at most 248 bytes, of which 62 can be advertised",
                "required"),
            Key(
                "address",
                "`automatic`, `public`, or a random static address such as `C0:12:34:56:78:9A`; with `automatic` a device "
                    + "of `harald simulate` on the virtual radio has an address derived from its name, the same in every run",
                "`automatic`"),
            Key("appearance", "a number, or an assigned name such as `Heart Rate Belt`", "0"),
            Key("advertise", "what it advertises", "the name and the primary services, every 100 ms"),
            Key("services", "a list of services; at most 1,000"),
            Key(
                "genericServices", "true to add the services 1800 and 1801 if the file does not declare them", "`true`"),
            Key("disconnectAfter", "time from the connection of a central until the device ends the link", "never"),
            Key("l2cap", "a list of L2CAP channels"),
            Key(
                "replacesBonds",
                "true to let a central that lost its half of a bond pair again, which an impostor could do too",
                "`false`"),
            Key(
                "passkey",
                "the six digits that are printed on it, which the user enters to pair; refused after three failed attempts",
                "none: it pairs with every device, without a comparison"),
        ])

    static let advertise = FileKeys(
        "advertise",
        [
            Key("interval", "20 ms to 10.24 s", "`100 ms`"),
            Key("duration", "the time after which the device stops advertising, such as `30 s`", "no limit"),
            Key("connectable", "true to accept connections", "`true`"),
            Key(
                "name",
                "true to advertise the name, or another name to advertise instead (`\"true\"` between quotation marks is a "
                    + "name); at most 62 bytes, a longer one is truncated between two characters", "`true`"),
            Key("appearance", "true to advertise the appearance", "`false`"),
            Key("flags", "the flags as a number, or `none`", "`0x06`"),
            Key(
                "services", "a list of services",
                "as many of the primary services of the device as fit, without 1800 and 1801"),
            Key("solicitedServices", "services that the device would like a central to have"),
            Key("manufacturerData", "`{company: 0x006B, data: VALUE}`, or a list of them"),
            Key("serviceData", "`{service: FEAA, data: VALUE}`, or a list of them, each for another service"),
            Key("txPower", "dBm, -127 to 20"),
            Key(
                "raw",
                "the whole advertisement in hexadecimal, instead of everything above except `interval`, `duration` and "
                    + "`connectable`"),
            Key(
                "scanResponse", "the whole scan response in hexadecimal, at most 31 bytes",
                "the data that does not fit in the advertisement"),
        ])

    static let manufacturerData = FileKeys(
        "manufacturerData",
        [
            Key("company", "the number of a company, or its name", "required"),
            Key("data", "a value that does not change", "empty"),
        ])

    static let serviceData = FileKeys(
        "serviceData",
        [Key("service", "the UUID", "required"), Key("data", "a value that does not change", "empty")])

    static let service = FileKeys(
        "a service",
        [
            Key("uuid", "the UUID", "required"),
            Key("name", "a name that `includes` can use; it is not visible to centrals"),
            Key("primary", "true for a primary service; a secondary service exists to be included", "`true`"),
            Key(
                "includes",
                "included services, before or after it in the file: by their `name`, or by their UUID if only one service "
                    + "has it"),
            Key("characteristics", "a list of characteristics"),
            Key("handle", "the handle of its declaration", "the next free one"),
            Key(
                "endHandle", "the last handle that belongs to it, which may be after its last attribute",
                "its last attribute"),
        ])

    static let characteristic = FileKeys(
        "a characteristic",
        [
            Key("uuid", "the UUID", "required"),
            Key(
                "properties",
                "`read`, `write`, `writeWithoutResponse`, `notify`, `indicate`, `broadcast`, "
                    + "`authenticatedSignedWrites`, `extendedProperties`", "required"),
            Key(
                "permissions",
                "`readable`, `writeable`, `readEncrypted`, `writeEncrypted`, `readAuthenticated`, `writeAuthenticated`, "
                    + "`secureConnections`", "implied by the properties"),
            Key(
                "security",
                "one level for reading, writing and subscribing: `none`, `encrypted`, `authenticated`, `secureConnections`",
                "`none`"),
            Key("value", "a value of at most 512 bytes", "empty"),
            Key(
                "notifyEvery", "the interval at which the value is sent to subscribers, the first time at once",
                "only on a write"),
            Key("onWrite", "the effect of a write", "the value is replaced"),
            Key("description", "the user description (2901)"),
            Key(
                "descriptors",
                "a list of descriptors; `{uuid: 2902}` only sets the position of the client characteristic configuration, "
                    + "because the stack keeps one for each central"),
            Key(
                "cccd",
                "true if there is a client characteristic configuration (2902), also without `notify` and `indicate`; "
                    + "false if there is none, also with them", "with `notify`, `indicate` or 2902 in `descriptors`"),
            Key("handle", "the value handle", "the next free one"),
        ])

    static let descriptor = FileKeys(
        "a descriptor",
        [
            Key("uuid", "the UUID", "required"),
            Key("value", "a value that does not change", "required, but not for 2902"),
            Key("permissions", "as of a characteristic", "`readable`"),
            Key("handle", "its handle", "the next free one"),
        ])

    /// The kinds of values that are no numbers.
    static let value = FileKeys(
        "a value", last: "example",
        [
            Key("hex", "these bytes", "`{hex: \"01 A2\"}`"),
            Key("text", "the text in UTF-8", "`{text: \"Polar\"}`"),
            Key(
                "heartRate",
                "a Heart Rate Measurement (2A37): a number, a waveform, or a mapping; the intervals are those of the beats "
                    + "since the last value", "`{heartRate: {rate: 72, contact: true}}`"),
        ])

    static let waveform = FileKeys(
        "a waveform",
        [
            Key("wave", "`constant`, `sine`, `ramp`, `walk` or `steps`", "required"),
            Key("value", "of `constant`: the number", "required"),
            Key("min", "of `sine`, `ramp` and `walk`: the least value", "required"),
            Key("max", "of `sine`, `ramp` and `walk`: the greatest value", "required"),
            Key(
                "period",
                "the time until it repeats; a `sine` starts at the middle, rising; a `ramp` is linear, then restarts; "
                    + "`steps` sends all of its values in it", "required; of `steps`: 1 s for each value"),
            Key("falling", "of `ramp`: true from `max` to `min`", "`false`"),
            Key("step", "of `walk`: the largest random step, up or down", "a tenth of the range"),
            Key("every", "of `walk`: the time between steps", "`1 s`"),
            Key("values", "of `steps`: the numbers, one after the other", "required"),
            Key("digits", "the decimals of a medical float, 0 to 7", "1"),
        ])

    static let heartRate = FileKeys(
        "a heart rate",
        [
            Key("rate", "beats a minute: a number or a waveform", "required"),
            Key("contact", "true or false, if the sensor detects contact"),
            Key("energy", "expended energy in kJ: a number or a waveform"),
            Key("intervals", "true to send the intervals between beats", "`true`"),
        ])

    static let onWrite = FileKeys(
        "onWrite",
        [
            Key("store", "true if the written value replaces the value", "`true`"),
            Key("echo", "true to send the written value back", "`false`"),
            Key("notify", "a value that is sent after every write"),
            Key("reply", "a list of replies; the first match applies"),
            Key(
                "on", "the characteristic that sends",
                "the characteristic itself, else the first of its service that notifies or indicates"),
        ])

    static let reply = FileKeys(
        "a reply",
        [
            Key(
                "when",
                "the pattern of the written bytes, such as `\"01 ?? 03 *\"`: `??` is any byte, `*` at the end any "
                    + "further bytes", "required"),
            Key("notify", "a value to send"),
            Key(
                "error",
                "the write is refused with this ATT error, a number or a name such as `valueNotAllowed`; nothing is stored "
                    + "or sent"),
            Key("disconnect", "true to end the link", "`false`"),
        ])

    static let channel = FileKeys(
        "an L2CAP channel",
        [
            Key("psm", "0x80 to 0xFF", "required"),
            Key(
                "behaviour",
                "`echo` returns each message, `source` sends messages that begin with their number, `sink` drops what it "
                    + "receives", "required"),
            Key("length", "of `source`: the octets of a message, 1 to 65,535", "512"),
            Key("encrypted", "true to require an encrypted link", "`false`"),
        ])

    static let scene = FileKeys(
        "a scene", [Key("name", "the name", "`scene`"), Key("devices", "a list of devices", "required")])

    static let sceneDevice = FileKeys(
        "a device of a scene",
        [
            Key("device", "an inline device, or the name of a built-in one", "this or `file`"),
            Key("file", "a device file, beside the scene's file", "this or `device`"),
            Key("name", "replaces the device's own"),
            Key("address", "replaces the device's own"),
            Key("distance", "metres from the listener", "`1 m`"),
            Key("position", "`[x, y, z]` in metres, instead of `distance`"),
            Key("rssi", "the RSSI at the listener, -100 to -50 dBm, instead of `distance`"),
            Key("faults", "what its radio loses"),
            Key(
                "writable",
                "characteristics that centrals may write although the file declares them as read-only, such as `[2A38]`"
            ),
        ])

    static let faults = FileKeys(
        "faults",
        [
            Key("loss", "the fraction of its advertisements that a listener misses, 0 to 1", "0"),
            Key("delay", "additional delay of its data"),
            Key("silentAfter", "the time from the start of the scene until its radio falls silent", "never"),
            Key("silentFor", "the duration of the silence", "permanent"),
            Key("failedConnects", "the number of attempts to connect that fail before one succeeds", "0"),
        ])
}
#endif
