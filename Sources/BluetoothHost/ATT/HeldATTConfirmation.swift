/// The confirmation of an indication, which is sent when its last holder lets it go. Confined to the loop.
final class HeldATTConfirmation {
    private weak var bearer: ATTBearer?
    /// The bearer is the first holder, until the value was handed over.
    private var holders = 1

    init(_ bearer: ATTBearer) { self.bearer = bearer }

    func hold() { holders += 1 }

    func release() {
        holders -= 1
        if holders == 0 { bearer?.confirm() }
    }
}
