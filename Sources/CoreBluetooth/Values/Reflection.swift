// The objects show no stored properties to `Mirror`, `dump(_:)` and a failed expectation of a test, as on Apple's systems:
// a whole adapter hangs on them, and not everything of that can be reflected.

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
