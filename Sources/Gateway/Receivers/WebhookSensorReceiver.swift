import Forwarding

/// Posts signed messages to a program (Standard Webhooks 1.0).
struct WebhookSensorReceiver: SensorReceiver {
    let name = "webhook"
    let lanes = 4
    let connections = Wakes()
    private let secret: String?
    private let poster: HTTPPoster

    init(_ settings: GatewaySettings.Webhook) {
        secret = settings.secret
        poster = HTTPPoster(
            url: settings.url, token: settings.token, certificates: settings.certificates, agent: "harald-gateway",
            limit: .seconds(45))
    }

    func deliver(_ message: SensorMessage) async -> Delivery {
        let body = message.webhook
        return await poster.post(
            body, headers: WebhookSignature.headers(id: message.id, body: body, secret: secret)
        ).delivery
    }

    func close() async { await poster.close() }
}
