import Forwarding
import Foundation
import HealthHub
import Synchronization

/// Sends urgent values and overdue measurements to the notifiers, and heartbeats.
final class NotificationSender: Sendable {
    /// The time between two searches for alerts.
    private static let interval = Duration.seconds(60)
    private static let limit = Duration.seconds(20)

    private let store: HubStore
    private let zone: TimeZone
    private let mails: MailSender
    private let wakes = Wakes()
    /// When alerts were told that the store could not record, because its disk is full for instance.
    private let unrecorded = Mutex<[String: Date]>([:])

    init(
        store: HubStore, zone: TimeZone = .current, mails: MailSender = MailSender()
    ) {
        (self.store, self.zone, self.mails) = (store, zone, mails)
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
    func sendAll(at time: Date = Date()) async {
        do {
            let notifiers = try await store.perform { try $0.notifiers() }
            guard !notifiers.isEmpty else { return }
            let zone = zone
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
            guard isDue ?? true || notifier.lastError != nil || notifier.isTestDue else { return }
            // A hub that cannot store readings must be noticed as one that is silent.
            do { try await store.perform { try $0.noteNotified(notifier, nil, problem: nil) } } catch {
                return HubStore.logger.error("no heartbeat is sent", metadata: ["reason": "\(HubProblem(error))"])
            }
            await send(.test, to: notifier, isTest: true, at: time)
            return
        }
        if notifier.isTestDue { await send(.test, to: notifier, isTest: true, at: time) }
        let isQuiet = notifier.isQuiet(at: time, in: zone)
        for alert in alerts where alert.isUrgent || !isQuiet {
            guard notifier.options.people?.contains(alert.person) ?? true,
                await claim(alert, for: notifier, at: time)
            else { continue }
            // After a failure the others would wait for the time limit too.
            guard await send(alert, to: notifier, isTest: false, at: time) else { return }
        }
    }

    /// Claims an alert in the store, or in memory if the store cannot be written.
    private func claim(_ alert: Alert, for notifier: Notifier, at time: Date) async -> Bool {
        do {
            return try await store.perform { try $0.claim(alert, for: notifier, now: time) }
        } catch {
            HubStore.logger.error("a notice cannot be recorded", metadata: ["reason": "\(HubProblem(error))"])
            let interval = alert.isUrgent ? Double(notifier.options.minutes) * 60 : 86400
            return unrecorded.withLock { told in
                let key = "\(notifier.id) \(alert.person) \(alert.key)"
                if let last = told[key], interval == 0 || time.timeIntervalSince(last) < interval { return false }
                told[key] = time
                return true
            }
        }
    }

    @discardableResult
    private func send(
        _ alert: Alert, to notifier: Notifier, isTest: Bool, at time: Date
    ) async -> Bool {
        let failure =
            notifier.kind == .mail
            ? await sendMail(alert, to: notifier, at: time)
            : await post(alert, to: notifier, at: time).map { .init(problem: $0) }
        if let failure {
            HubStore.logger.error(
                "a notice was not delivered", metadata: ["to": "\(notifier.name)", "reason": "\(failure.problem)"])
        }
        // A mail that may have arrived is not sent again each minute.
        let isOpen = isTest || failure?.mayHaveArrived == true
        try? await store.perform { try $0.noteNotified(notifier, isOpen ? nil : alert, problem: failure?.problem) }
        return failure == nil
    }

    private func sendMail(_ alert: Alert, to notifier: Notifier, at time: Date) async -> MailSender.Failure? {
        do {
            guard let mail = try notifier.mail(for: alert, at: time) else {
                return .init(problem: "its settings are damaged")
            }
            return await mails.send(mail.message, to: mail.server, account: mail.account)
        } catch {
            return .init(problem: "\(error)")
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
