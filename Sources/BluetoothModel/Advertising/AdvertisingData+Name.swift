extension AdvertisingData {
    /// The device name: the complete one, else the shortened one (Core Specification Supplement, Part A, 1.2).
    ///
    /// Invalid UTF-8 becomes U+FFFD. Trailing zeros, with which some devices pad the name, are removed. Setting the
    /// property sets a complete name.
    public var localName: String? {
        get { first(.completeLocalName, Self.text) ?? first(.shortenedLocalName, Self.text) }
        set { setLocalName(newValue, isComplete: true) }
    }

    /// True if ``localName`` is the complete name; false also if there is no name.
    public var isNameComplete: Bool { contains(.completeLocalName) }

    /// Sets the complete or the shortened name; nil removes it.
    public mutating func setLocalName(_ name: String?, isComplete: Bool) {
        let type: ADType = isComplete ? .completeLocalName : .shortenedLocalName
        replace(
            [.completeLocalName, .shortenedLocalName],
            with: name.map { [Structure(type: type, data: Array($0.utf8))] } ?? [])
    }

    /// The name of a broadcast (Public Broadcast Profile, 5.1).
    public var broadcastName: String? {
        get { first(.broadcastName, Self.text) }
        set { self[.broadcastName] = newValue.map { Array($0.utf8) } }
    }

    /// The URI (Core Specification Supplement, Part A, 1.18); the first one if there are several.
    public var uri: String? {
        get { first(.uri) { URIScheme.expand(String(decoding: $0.unsafeBytes, as: UTF8.self)) } }
        set { self[.uri] = newValue.map { Array(URIScheme.compress($0).utf8) } }
    }

    static func text(_ view: ByteView) -> String? {
        var length = view.count
        while length > 0, view[length - 1] == 0 { length -= 1 }
        return String(decoding: view.prefix(length).unsafeBytes, as: UTF8.self)
    }
}
