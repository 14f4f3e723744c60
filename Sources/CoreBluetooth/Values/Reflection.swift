// As on Apple's systems, the objects show no stored properties to `Mirror`, `dump(_:)` and a failed expectation of a
// test: they refer to the whole adapter, not all of which can be reflected.

extension CBAttribute: CustomReflectable {
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CBPeer: CustomReflectable {
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CBManager: CustomReflectable {
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CBATTRequest: CustomReflectable {
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CBL2CAPChannel: CustomReflectable {
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
