import Forwarding
import Foundation
import HealthHub

/// Sends urgent values and overdue measurements to the notifiers, and heartbeats.
final class NotificationSender: Sendable {
    /// The time between two searches for alerts.
    private static let interval = Duration.seconds(60)
    private static let limit = Duration.seconds(20)

    private let store: HubStore
    private let zone: TimeZone
    private let now: @Sendable () -> Date
    private let mails: MailSender
    private let wakes = Wakes()

    init(
        store: HubStore, zone: TimeZone = .current, mails: MailSender = MailSender(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.store, self.zone, self.mails, self.now) = (store, zone, mails, now)
    }

    /// Searches now, because an urgent value has arrived or a notifier was changed.
    func wake() { wakes.wake() }

    /// Sends until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let seen = wakes.count
            await sendAll()
            await wakes.wait(after: seen, atMost: Self.interval)
        }
    }

    /// Sends what is due. An address that does not answer delays no other one.
    func sendAll() async {
        do {
            let notifiers = try await store.perform { try $0.notifiers() }
            guard !notifiers.isEmpty else { return }
            let (time, zone) = (now(), zone)
            let hasPeople = notifiers.contains { $0.kind != .heartbeat }
            let alerts = hasPeople ? try await store.perform { try $0.alerts(now: time, zone: zone) } : []
            await withTaskGroup(of: Void.self) { group in
                for notifier in notifiers { group.addTask { await self.send(alerts, to: notifier, at: time) } }
            }
        } catch {
            HubStore.logger.error("notices cannot be read", metadata: ["error": "\(error)"])
        }
    }

    private func send(_ alerts: [Alert], to notifier: Notifier, at time: Date) async {
        if notifier.kind == .heartbeat {
            let isDue = notifier.lastSent.map {
                Double($0) <= time.timeIntervalSince1970 - Double(notifier.options.minutes * 60)
            }
            if isDue ?? true || notifier.lastError != nil || notifier.isTestDue {
                await send(.test, to: notifier, isTest: true, at: time)
            }
            return
        }
        if notifier.isTestDue { await send(.test, to: notifier, isTest: true, at: time) }
        let isQuiet = notifier.isQuiet(at: time, in: zone)
        for alert in alerts where alert.isUrgent || !isQuiet {
            guard notifier.options.people?.contains(alert.person) ?? true,
                (try? await store.perform({ try $0.claim(alert, for: notifier, now: time) })) == true
            else { continue }
            // After a failure the others would wait for the time limit too.
            guard await send(alert, to: notifier, isTest: false, at: time) else { return }
        }
    }

    @discardableResult
    private func send(
        _ alert: Alert, to notifier: Notifier, isTest: Bool, at time: Date
    ) async -> Bool {
        let problem =
            notifier.kind == .mail
            ? await sendMail(alert, to: notifier, at: time) : await post(alert, to: notifier, at: time)
        if let problem {
            HubStore.logger.error(
                "a notice was not delivered", metadata: ["to": "\(notifier.name)", "reason": "\(problem)"])
        }
        try? await store.perform { try $0.noteNotified(notifier, isTest ? nil : alert, problem: problem) }
        return problem == nil
    }

    /// Returns the problem of a mail; nil if the server has accepted it.
    private func sendMail(_ alert: Alert, to notifier: Notifier, at time: Date) async -> String? {
        do {
            guard let mail = try notifier.mail(for: alert, at: time) else { return "its settings are damaged" }
            return await mails.send(mail.message, to: mail.server, account: mail.account)
        } catch {
            return "\(error)"
        }
    }

    /// Returns the problem of a request; nil if it was accepted.
    private func post(_ alert: Alert, to notifier: Notifier, at time: Date) async -> String? {
        let form = notifier.request(for: alert, at: time)
        let poster = HTTPPoster(
            url: notifier.url, token: notifier.options.token, certificates: nil, agent: "harald-hub", limit: Self.limit)
        let result = await poster.post(form.body, headers: form.headers)
        await poster.close()
        return switch result.delivery {
        case .delivered: nil
        case .refused(let problem), .failed(let problem, _): problem
        }
    }
}
