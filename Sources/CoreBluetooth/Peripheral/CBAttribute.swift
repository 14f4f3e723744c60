import Foundation

/// A service, a characteristic or a descriptor.
open class CBAttribute: NSObject {
    private let type: CBUUID

    init(type: CBUUID) {
        self.type = type
        super.init()
    }

    /// Unavailable: attributes are discovered; local ones have classes of their own.
    @available(*, unavailable)
    public override init() {
        // Proof: the initializer is unavailable, so no code can call it.
        fatalError("CBAttribute has no public initializer")
    }

    /// The UUID.
    open var uuid: CBUUID { type }
}
