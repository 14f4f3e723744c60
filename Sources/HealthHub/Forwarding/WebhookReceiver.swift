import Forwarding
import Foundation
import JSON

/// A program that receives signed requests (Standard Webhooks 1.0).
struct WebhookReceiver: HTTPReceiverKind {
    let help = """
        webhook is the address of a program, which receives signed posts (Standard Webhooks 1.0); the secret is printed \
        once.
        """
    let secret = ReceiverSecret.shown

    func request(for message: OutboxMessage, to receiver: Receiver) -> HTTPReceiverRequest? {
        let body = message.webhook
        return HTTPReceiverRequest(
            headers: WebhookSignature.headers(id: message.id, body: body.text, secret: receiver.secret), body: body)
    }
}
