import BluetoothProfiles
import Forwarding
import Foundation
import Harald
import VirtualDevices
import WebServer

/// Reads the settings of a gateway from a YAML file.
package enum GatewayFile {
    /// Reads a file. Paths in it are relative to its directory.
    /// - Parameter checkAdapter: throws an error with a message if a text is no URI of an adapter.
    /// - Throws: `DeviceFileError` with line and column.
    package static func read(
        _ path: String, checkAdapter: (String) throws -> Void = { _ in }
    ) throws(DeviceFileError) -> GatewaySettings {
        try settings(try DeviceDocument.text(of: path), file: path, checkAdapter: checkAdapter)
    }

    /// Parses the text of a file.
    /// - Throws: `DeviceFileError` with line and column.
    static func settings(
        _ text: String, file: String, checkAdapter: (String) throws -> Void = { _ in }
    ) throws(DeviceFileError) -> GatewaySettings {
        let root = try DeviceDocument.root(text, file, least: "a gateway requires 'mqtt', 'webhook' or 'prometheus'")
        let mapping = try root.mapping(
            "a gateway",
            keys: [
                "name", "adapters", "passive", "formats", "sensors", "presence", "connect", "mqtt", "webhook",
                "prometheus",
            ])
        var settings = GatewaySettings()
        settings.name = try mapping["name"].map(name) ?? Slug.text(ProcessInfo.processInfo.hostName)
        for adapter in mapping["adapters"]?.listOrOne() ?? [] {
            let uri = try adapter.string("an adapter")
            do { try checkAdapter(uri) } catch { throw adapter.error("\(error)") }
            settings.adapters.append(uri)
        }
        settings.isPassive = try mapping["passive"]?.bool("passive") ?? false
        if let formats = mapping["formats"] { settings.formats = try path(formats, "formats") }
        if let sensors = mapping["sensors"] { settings.sensors = try self.sensors(sensors) }
        if let presence = mapping["presence"] { settings.absence = try absence(presence) }
        for device in try mapping["connect"]?.list("connect") ?? [] {
            settings.connections.append(try connection(device))
        }
        if let mqtt = mapping["mqtt"] { settings.mqtt = try self.mqtt(mqtt) }
        if let webhook = mapping["webhook"] { settings.webhook = try self.webhook(webhook) }
        if let metrics = mapping["prometheus"] { settings.metrics = try self.metrics(metrics) }
        guard settings.mqtt != nil || settings.webhook != nil || settings.metrics != nil else {
            throw root.error("a gateway requires 'mqtt', 'webhook' or 'prometheus'")
        }
        return settings
    }

    private static func name(_ node: FileNode) throws(DeviceFileError) -> String {
        let name = try node.string("name")
        guard !name.isEmpty, name.utf8.count <= 64, name == Slug.text(name) else {
            throw node.error("name must have lower case letters, digits, '_' and '-', 64 at most; it is part of topics")
        }
        return name
    }

    private static func sensors(_ node: FileNode) throws(DeviceFileError) -> GatewaySettings.Sensors {
        let mapping = try node.mapping(
            "sensors", keys: ["interval", "silence", "minRssi", "formats", "only", "except", "limit"])
        var sensors = GatewaySettings.Sensors()
        if let interval = mapping["interval"] { sensors.interval = try interval.duration("interval") }
        if let silence = mapping["silence"] {
            sensors.silence = try silence.duration("silence", atLeast: .seconds(1))
        }
        if let rssi = mapping["minRssi"] { sensors.minimumRSSI = try rssi.integer("minRssi", in: -127...20) }
        if let limit = mapping["limit"] { sensors.limit = try limit.integer("limit", in: 1...100_000) }
        if let formats = mapping["formats"] {
            var kinds: Set<String> = []
            for element in formats.listOrOne() { kinds.insert(try element.string("a format")) }
            sensors.formats = kinds
        }
        sensors.only = try names(mapping["only"])
        sensors.except = try names(mapping["except"])
        return sensors
    }

    /// Checks the names of formats, after the user's own ones were loaded.
    /// - Throws: `DeviceFileError` with the place of an unknown name.
    package static func checkFormats(_ path: String) throws(DeviceFileError) {
        let root = try DeviceDocument.root(try DeviceDocument.text(of: path), path)
        let known = AdvertisedFormats.kinds
        for element in root.value(of: "sensors")?.value(of: "formats")?.listOrOne() ?? [] {
            let name = try element.string("a format")
            guard !known.contains(name) else { continue }
            let meant = Spelling.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
            throw element.error(
                "no format is named '\(name)'\(meant) 'harald decode --advertisement --list' lists them")
        }
    }

    private static func names(_ node: FileNode?) throws(DeviceFileError) -> Set<String> {
        var names: Set<String> = []
        for element in node?.listOrOne() ?? [] {
            names.insert(try element.string("a device").lowercased())
        }
        return names
    }

    private static func absence(_ node: FileNode) throws(DeviceFileError) -> Duration? {
        if !node.isMapping {
            return try node.bool("presence") ? GatewaySettings().absence : nil
        }
        let mapping = try node.mapping("presence", keys: ["away"])
        return try mapping.required("away").duration("away", atLeast: .seconds(1))
    }

    private static func connection(_ node: FileNode) throws(DeviceFileError) -> GatewaySettings.Connection {
        guard node.isMapping else { return GatewaySettings.Connection(device: try node.string("a device")) }
        let mapping = try node.mapping("a device", keys: ["device", "interval"])
        var connection = GatewaySettings.Connection(device: try mapping.required("device").string("device"))
        if let interval = mapping["interval"] {
            connection.interval = try interval.duration("interval", atLeast: .seconds(1))
        }
        return connection
    }

    // MARK: Receivers

    private static func mqtt(_ node: FileNode) throws(DeviceFileError) -> GatewaySettings.MQTT {
        let mapping = try node.mapping(
            "mqtt", keys: ["url", "passwordFile", "certificates", "plain", "discovery", "queue"])
        let password = try mapping["passwordFile"].map { node throws(DeviceFileError) in
            try secret(node, "passwordFile")
        }
        let url = try address(mapping, ("mqtt", "mqtts"), hasPassword: true, hasToken: password != nil)
        var mqtt = GatewaySettings.MQTT(
            broker: MQTTBroker(url: url, password: password, certificates: try certificates(mapping)))
        mqtt.queue = try queue(mapping)
        guard let discovery = mapping["discovery"] else { return mqtt }
        let prefix = try discovery.string("discovery")
        switch prefix.lowercased() {
        case "false", "no", "off": mqtt.discovery = nil
        case "true", "yes", "on": break
        default:
            guard !prefix.isEmpty, prefix.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !prefix.contains("#"),
                !prefix.contains("+")
            else { throw discovery.error("discovery must be the prefix of topics, such as homeassistant, or off") }
            mqtt.discovery = prefix
        }
        return mqtt
    }

    private static func webhook(_ node: FileNode) throws(DeviceFileError) -> GatewaySettings.Webhook {
        let mapping = try node.mapping(
            "webhook", keys: ["url", "secretFile", "tokenFile", "certificates", "plain", "queue"])
        var webhook = GatewaySettings.Webhook(
            url: try address(mapping, ("http", "https"), hasPassword: false, hasToken: false))
        if let token = mapping["tokenFile"] { webhook.token = try secret(token, "tokenFile") }
        if let file = mapping["secretFile"] {
            let secret = try secret(file, "secretFile")
            guard secret.hasPrefix("whsec_"), Data(base64Encoded: String(secret.dropFirst(6))) != nil else {
                throw file.error("secretFile must contain whsec_ and the key in Base64")
            }
            webhook.secret = secret
        }
        webhook.certificates = try certificates(mapping)
        webhook.queue = try queue(mapping)
        return webhook
    }

    private static func metrics(_ node: FileNode) throws(DeviceFileError) -> WebAddress {
        let listen = try node.mapping("prometheus", keys: ["listen"]).required("listen")
        guard let address = WebAddress(try listen.string("listen")) else {
            throw listen.error("listen must be ADDRESS:PORT, such as 127.0.0.1:9469")
        }
        guard address.isLoopback else {
            throw listen.error(
                "listen must be an address of this machine, such as 127.0.0.1:9469: metrics are served without "
                    + "encryption")
        }
        return address
    }

    private static func queue(_ mapping: FileMapping) throws(DeviceFileError) -> GatewaySettings.Queue {
        var queue = GatewaySettings.Queue()
        if let limit = mapping["queue"] { queue.limit = try limit.integer("queue", in: 1...1_000_000) }
        return queue
    }

    private static func address(
        _ mapping: FileMapping, _ schemes: (plain: String, encrypted: String), hasPassword: Bool, hasToken: Bool
    ) throws(DeviceFileError) -> String {
        let node = try mapping.required("url")
        let url = try node.string("url")
        let (plain, encrypted) = schemes
        let problem = ReceiverAddress.problem(
            of: url, plain: plain, encrypted: encrypted, hasPassword: hasPassword, hasToken: hasToken,
            isPlainAllowed: try mapping["plain"]?.bool("plain") ?? false)
        switch problem {
        case nil: return url
        case .form:
            throw node.error(
                "url must be \(plain):// or \(encrypted):// and a host, but this is '\(ReceiverAddress.shown(url))'")
        case .password: throw node.error("url must not contain a password; use tokenFile")
        case .user(let scheme): throw node.error("passwordFile needs a user in url: \(scheme)://USER@HOST")
        case .unencrypted:
            throw node.error("url would send readings unencrypted; use \(encrypted)://, or allow it with 'plain: true'")
        }
    }

    private static func certificates(_ mapping: FileMapping) throws(DeviceFileError) -> String? {
        guard let node = mapping["certificates"] else { return nil }
        let path = try path(node, "certificates")
        guard FileManager.default.isReadableFile(atPath: path) else { throw node.error("\(path) cannot be read") }
        return path
    }

    private static func path(_ node: FileNode, _ what: String) throws(DeviceFileError) -> String {
        let path = try node.string(what)
        guard !path.hasPrefix("/") else { return path }
        return URL(fileURLWithPath: node.file).deletingLastPathComponent().appendingPathComponent(path).path
    }

    /// Reads the first line of a file that only its owner may read.
    private static func secret(_ node: FileNode, _ what: String) throws(DeviceFileError) -> String {
        let path = try path(node, what)
        var status = stat()
        guard stat(path, &status) == 0, let data = FileManager.default.contents(atPath: path) else {
            throw node.error("\(path) does not exist or cannot be read")
        }
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o077 == 0 else {
            throw node.error("others may read the secret in \(path); run 'chmod 600' on it")
        }
        let text = String(decoding: data.prefix(4096), as: UTF8.self).prefix { $0 != "\n" && $0 != "\r\n" }
        guard !text.isEmpty else { throw node.error("\(path) is empty") }
        return String(text)
    }
}
