import Crypto
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
        let time = Int64(Date().timeIntervalSince1970)
        let signature = WebhookSignature.sign(
            id: message.id, timestamp: time, body: body.text, secret: receiver.secret ?? "")
        return HTTPReceiverRequest(
            headers: [
                ("content-type", "application/json"), ("webhook-id", message.id), ("webhook-timestamp", String(time)),
                ("webhook-signature", signature),
            ], body: body)
    }
}

/// Signs webhooks according to Standard Webhooks 1.0.
package enum WebhookSignature {
    /// Returns `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`.
    /// - Parameter secret: `whsec_` and the Base64 of the key.
    package static func sign(id: String, timestamp: Int64, body: String, secret: String) -> String {
        let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) ?? Data(secret.utf8)
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(id).\(timestamp).\(body)".utf8), using: SymmetricKey(data: key))
        return "v1," + Data(code).base64EncodedString()
    }
}
