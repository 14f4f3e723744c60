import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// Pairs where an attribute requires it: with the answers of the program's ``HaraldPairing``, else only where there is
/// nothing to compare. Confined to the loop.
final class ManagerPairing: PairingHandler {
    private let user: HaraldPairing?
    private let mailbox: Mailbox
    private let loop: RadioLoop
    private let backend: LoopBound<any RadioBackend>

    init(_ user: HaraldPairing?, mailbox: Mailbox, backend: any RadioBackend) {
        self.user = user
        self.mailbox = mailbox
        loop = backend.loop
        self.backend = LoopBound(confined: backend, loop: backend.loop)
    }

    var passkey: UInt32? { user?.fixedPasskey }

    func passkeyBlocked() {
        guard let blocked = user?.passkeyBlocked, let passkey else { return }
        let (loop, backend) = (loop, backend)
        mailbox.post {
            blocked {
                loop.execute {
                    do throws(RadioError) { try backend.value.allowPasskey(passkey) } catch {
                        Misuse.notice("the passkey cannot be accepted again: \(error)")
                    }
                }
            }
        }
    }

    var decidesAlone: Bool { user == nil }
    var capability: PairingCapability { user?.capability ?? .noInputNoOutput }

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        guard let user else { return answer(question == .confirm ? .accept : .refuse) }
        let (loop, reply) = (loop, Transfer(OneAnswer(answer)))
        let isPosted = mailbox.postWithinLimit(
            .call { user.asks(UUID(peripheral), question) { given in loop.execute { reply.value.give(given) } } })
        if !isPosted { reply.value.give(.refuse) }
    }

    func pairing(with peripheral: PeripheralID, replacesBond answer: @escaping (Bool) -> Void) {
        guard let decides = user?.replacesBond else { return answer(false) }
        let (loop, reply) = (loop, Transfer(OneAnswer(answer)))
        mailbox.post {
            decides(UUID(peripheral)) { given in loop.execute { reply.value.give(given) } }
        }
    }

    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {}
}

/// The answer to one question; only the first call has an effect. Confined to the loop.
private final class OneAnswer<Answer> {
    private var body: ((Answer) -> Void)?

    init(_ body: @escaping (Answer) -> Void) { self.body = body }

    func give(_ answer: Answer) {
        let body = body
        self.body = nil
        body?(answer)
    }
}
