import Crypto
import Foundation

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

    /// Returns the headers of a request; without a secret it is not signed.
    package static func headers(
        id: String, body: String, secret: String?, now: Date = Date()
    ) -> [(name: String, value: String)] {
        let time = Int64(now.timeIntervalSince1970)
        var headers = [
            (name: "content-type", value: "application/json"), ("webhook-id", id), ("webhook-timestamp", String(time)),
        ]
        if let secret {
            headers.append(("webhook-signature", sign(id: id, timestamp: time, body: body, secret: secret)))
        }
        return headers
    }
}
