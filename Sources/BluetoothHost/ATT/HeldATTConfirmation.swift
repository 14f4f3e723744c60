/// The confirmation of an indication, which is sent when its last holder releases it. Confined to the loop.
final class HeldATTConfirmation {
    private weak var bearer: ATTBearer?
    /// The bearer is the first holder, until it has delivered the value.
    private var holders = 1

    init(_ bearer: ATTBearer) { self.bearer = bearer }

    func hold() { holders += 1 }

    func release() {
        holders -= 1
        if holders == 0 { bearer?.confirm() }
    }
}
