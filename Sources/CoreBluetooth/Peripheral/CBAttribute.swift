import Foundation

/// A service, a characteristic or a descriptor.
open class CBAttribute: NSObject {
    private let type: CBUUID

    init(type: CBUUID) {
        self.type = type
        super.init()
    }

    /// Attributes are found, not made; those of one's own have classes of their own.
    @available(*, unavailable)
    public override init() {
        // Never called: it is unavailable.
        fatalError("attributes are found, not made")
    }

    /// What it is.
    open var uuid: CBUUID { type }
}
