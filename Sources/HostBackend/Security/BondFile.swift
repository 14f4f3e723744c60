import BluetoothBackend
import BluetoothHost
import BluetoothModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The contents of the file of bonds: JSON, with a version, and keys in hexadecimal, most significant octet first.
package struct BondFile: Codable {
    /// The version of files that are written. Version 1 had the current values of counters, and no other file; files of
    /// this version need the counters of ``BondUseFile``.
    static let version = 2

    var version = Self.version
    /// The local identity resolving key.
    var identityKey: String?
    var bonds: [Entry] = []

    /// One bond.
    struct Entry: Codable {
        var localAddress: String
        var peerAddress: String
        var isAuthenticated: Bool
        var isSecureConnections: Bool
        var keySize: UInt8
        var localKey: Key?
        var peerKey: Key?
        var peerIdentityKey: String?
        var peerUsesPrivateAddresses: Bool
        var localSigningKey: Signing?
        var peerSigningKey: Signing?
        var server: Server?
    }

    /// A long-term key with its diversifier and random number.
    struct Key: Codable {
        var key: String
        var diversifier: UInt16
        var randomNumber: UInt64
    }

    /// A signing key and its counter.
    struct Signing: Codable {
        var key: String
        var counter: UInt32
    }

    /// The peer's state on the local GATT server; subscriptions by handle, in decimal.
    struct Server: Codable, Equatable {
        var subscriptions: [String: UInt16]
        var clientFeatures: UInt8
        var databaseHash: String
    }
}

extension BondFile {
    /// The decoded contents of a file.
    package struct Contents {
        /// The bonds.
        package var bonds: [Bond]
        /// The local identity resolving key; nil if the file has none.
        package var identityKey: SecurityKey?
    }

    /// Decodes a file; `path` is for messages, which never quote the file.
    /// - Throws: ``PrivateFile/Failure`` if the file is damaged, or has another version.
    package static func contents(of bytes: [UInt8], path: String) throws(PrivateFile.Failure) -> Contents {
        // The version first: the format of a newer one is unknown.
        struct Head: Decodable { var version: Int }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(bytes)) else {
            throw PrivateFile.Failure("\(path) is damaged")
        }
        guard (1...Self.version).contains(head.version) else {
            throw PrivateFile.Failure(
                "\(path) has version \(head.version), but this program supports versions up to \(Self.version)")
        }
        // The decoder's error may quote the file, so it is not passed on.
        guard let content = try? JSONDecoder().decode(BondFile.self, from: Data(bytes)) else {
            throw PrivateFile.Failure("\(path) is damaged")
        }
        let read = content.bonds.map(\.bond)
        guard !read.contains(nil) else { throw PrivateFile.Failure("\(path) is damaged") }
        return Contents(
            bonds: read.compactMap { $0 }, identityKey: content.identityKey.flatMap(SecurityKey.init(fileText:)))
    }

    /// Returns the encoded file.
    /// - Throws: ``PrivateFile/Failure`` if the bonds cannot be encoded.
    package static func bytes(_ bonds: [Bond], identityKey: SecurityKey) throws(PrivateFile.Failure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let content = BondFile(identityKey: identityKey.octets.hexText(), bonds: bonds.map { .init($0) })
        guard let data = try? encoder.encode(content) else {
            throw PrivateFile.Failure("the bonds cannot be encoded as JSON")
        }
        return Array(data)
    }
}

extension BondFile.Entry {
    init(_ bond: Bond) {
        localAddress = bond.localAddress.fileText
        peerAddress = bond.peerAddress.fileText
        isAuthenticated = bond.strength.isAuthenticated
        isSecureConnections = bond.strength.isSecureConnections
        keySize = bond.strength.keySize
        localKey = bond.localKey.map { .init($0) }
        peerKey = bond.peerKey.map { .init($0) }
        peerIdentityKey = bond.peerIdentityKey?.octets.hexText()
        peerUsesPrivateAddresses = bond.peerUsesPrivateAddresses
        localSigningKey = bond.localSigningKey.map { .init($0) }
        peerSigningKey = bond.peerSigningKey.map { .init($0) }
        server = bond.serverState.map { .init($0) }
    }

    /// The bond; nil if the entry is invalid.
    var bond: Bond? {
        guard let local = BluetoothAddress(fileText: localAddress), let peer = BluetoothAddress(fileText: peerAddress),
            (7...16).contains(keySize)
        else { return nil }
        var bond = Bond(
            localAddress: local, peerAddress: peer,
            strength: KeyStrength(
                isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections, keySize: keySize))
        bond.peerUsesPrivateAddresses = peerUsesPrivateAddresses
        // An unreadable key must not become a bond without that key.
        func read<Text, Value>(_ text: Text?, _ value: (Text) -> Value?, _ place: inout Value?) -> Bool {
            guard let text else { return true }
            place = value(text)
            return place != nil
        }
        guard read(localKey, \.value, &bond.localKey), read(peerKey, \.value, &bond.peerKey),
            read(peerIdentityKey, SecurityKey.init(fileText:), &bond.peerIdentityKey),
            read(localSigningKey, \.value, &bond.localSigningKey),
            read(peerSigningKey, \.value, &bond.peerSigningKey), read(server, \.value, &bond.serverState)
        else { return nil }
        return bond
    }
}

extension BondFile.Key {
    init(_ key: LongTermKey) {
        self.init(key: key.key.octets.hexText(), diversifier: key.diversifier, randomNumber: key.randomNumber)
    }

    var value: LongTermKey? {
        SecurityKey(fileText: key).map { LongTermKey(key: $0, diversifier: diversifier, randomNumber: randomNumber) }
    }
}

extension BondFile.Signing {
    init(_ key: SigningKey) { self.init(key: key.key.octets.hexText(), counter: key.counter) }

    var value: SigningKey? { SecurityKey(fileText: key).map { SigningKey(key: $0, counter: counter) } }
}

extension BondFile.Server {
    init(_ state: GATTServerClientState) {
        subscriptions = Dictionary(
            state.subscriptions.map { (String($0.key), UInt16($0.value.rawValue)) }, uniquingKeysWith: { $1 })
        clientFeatures = state.clientFeatures
        databaseHash = state.databaseHash.hexText()
    }

    var value: GATTServerClientState? {
        guard let hash = [UInt8](hexDigits: databaseHash) else { return nil }
        var wishes: [UInt16: GATTSubscription] = [:]
        for (handle, wish) in subscriptions {
            guard let handle = UInt16(handle) else { return nil }
            wishes[handle] = GATTSubscription(rawValue: .init(truncatingIfNeeded: wish))
        }
        return GATTServerClientState(subscriptions: wishes, clientFeatures: clientFeatures, databaseHash: hash)
    }
}

extension BluetoothAddress {
    /// The kind and the address: "public E6:01:02:03:04:05".
    fileprivate var fileText: String { (kind == .public ? "public " : "random ") + text }

    fileprivate init?(fileText: String) {
        let words = fileText.split(separator: " ")
        guard words.count == 2, words[0] == "public" || words[0] == "random" else { return nil }
        self.init(String(words[1]), kind: words[0] == "public" ? .public : .random)
    }
}

extension SecurityKey {
    init?(fileText: String) {
        guard let octets = [UInt8](hexDigits: fileText) else { return nil }
        self.init(octets: octets)
    }
}
