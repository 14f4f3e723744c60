import Adapters
import ArgumentParser
import Explorer
import Foundation
import HealthHub
import HealthHubWeb

/// The options of `harald monitor` for a hub.
struct SendOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Send the readings to the hub at this address; beyond this machine, https is required.", valueName: "URL"))
    var send: String?

    @Option(
        help: ArgumentHelp(
            "The file with the hub's token from 'harald hub token add'; required with --send.", valueName: "file"))
    var tokenFile: String?

    @Option(
        name: .customLong("tls-ca"),
        help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"))
    var tlsCA: String?

    @Option(
        help: ArgumentHelp(
            "The directory for readings that wait for the hub (default: queue in the user's data directory).",
            valueName: "directory"), completion: .directory)
    var queue: String?

    func validate() throws {
        if send == nil, tokenFile != nil || tlsCA != nil || queue != nil {
            throw ValidationError("--token-file, --tls-ca and --queue require --send URL")
        }
        if send != nil, tokenFile == nil { throw ValidationError("--send requires --token-file") }
    }

    /// Opens the queue and its sender; nil without `--send`.
    /// - Parameter printed: the reading whose line was printed last.
    /// - Throws: ``ProgramError`` or ``HubProblem`` if an option, the queue or the token file is unusable.
    func open(form: MonitorForm, printed: PrintedReading) throws -> MonitorOutbox? {
        guard let send, let tokenFile else { return nil }
        let address = try HubAddress(send)
        let directory: String
        if let queue {
            directory = queue
        } else {
            guard let user = AdapterOptions.Storage.automatic.directory(isVirtual: false) else {
                throw ProgramError(.usage, "there is no home directory; choose a directory with --queue")
            }
            directory = user + "/queue"
        }
        let queue = try SendQueue(directory: directory)
        let sender = try ReadingSender(
            queue: queue, address: address, tokenFile: tokenFile, certificates: tlsCA,
            onEvent: { MonitorOutbox.report($0, refusedFile: queue.refusedFile, form: form, printed: printed) })
        return MonitorOutbox(queue: queue, sender: sender, form: form)
    }
}

/// The queue of a monitor's readings and the sender to the hub.
struct MonitorOutbox: Sendable {
    let queue: SendQueue
    let sender: ReadingSender
    let form: MonitorForm
    /// The time for sending queued readings at the end. The process ends five seconds after Ctrl-C in any case.
    private static let lastChance = Duration.milliseconds(2500)

    /// Reports readings that are still queued from earlier runs, and a full disk.
    func begin() async {
        if queue.isDiskFull {
            Console.message(
                "the disk of \(queue.directory) is full; new readings stay on their devices, and queued ones are sent")
        }
        guard let count = try? await queue.count(), count > 0 else { return }
        Console.message("\(Self.readings(count)) queued in \(queue.directory) by earlier runs")
    }

    /// Queues a reading; it is on the disk when this returns.
    /// - Throws: ``ProgramError`` if it cannot be stored, which is also reported.
    func keep(_ reading: MonitorReading) async throws {
        do {
            try await queue.append(id: reading.id, body: reading.submitted.text)
        } catch {
            Console.message(
                "\(error); the reading was not acknowledged to \(reading.deviceName ?? reading.device.description)")
            throw ProgramError(.failed, error.description)
        }
        sender.wake()
    }

    /// Sends as much of the queue as time permits, and reports what remains.
    func finish() async {
        let (queue, sender, form) = (queue, sender, form)
        await withoutCancellation {
            let last = await sender.flush(within: Self.lastChance)
            await sender.close()
            let count = try? await queue.count()
            try? queue.close()
            if form == .json { Console.json(["queued": count.map { .int($0) } ?? .null]) }
            Console.message(Self.remainder(count, after: last, in: queue.directory))
        }
    }

    /// Returns what remains in a queue at the end, as text.
    /// - Parameters:
    ///   - count: the number of readings; nil if the queue cannot be read.
    ///   - last: the last attempt to send them.
    static func remainder(_ count: Int?, after last: ReadingSender.Attempt, in directory: String) -> String {
        if count == 0 { return "no reading is queued" }
        let queued = count.map { "\(readings($0)) still queued in \(directory)" }
        // The next run will fail in the same way, unless the reason is removed.
        if case .blocked(let reason) = last { return [reason, queued].compactMap { $0 }.joined(separator: "; ") }
        guard let queued else { return "cannot read the queue in \(directory)" }
        return queued + (last.reason.map { " (\($0))" } ?? "") + "; the next 'harald monitor --send' sends them"
    }

    private static func readings(_ count: Int) -> String { count.counted("reading is", "readings are") }

    /// Prints an event of the sender. With CSV, whose lines have columns, answers go to standard error.
    /// - Parameter printed: the reading whose line was printed last.
    static func report(
        _ event: ReadingSender.Event, refusedFile: String, form: MonitorForm, printed: PrintedReading
    ) {
        switch event {
        case .answered(let answer):
            let problem = answer.problem ?? "no reason"
            if answer.status == "refused" {
                Console.message("the hub refused a reading (\(problem)); it was moved to \(refusedFile)")
            } else if answer.status == "unusable" {
                Console.message("a queued entry cannot be sent (\(problem)); it was moved to \(refusedFile)")
            }
            switch form {
            case .text:
                printed.print(answer: answer.id) { isBelowReading in
                    Console.line(TerminalText.safe(isBelowReading ? answer.text : answer.fullText), indent: 4)
                }
            case .csv: Console.message(answer.fullText)
            case .json:
                Console.json([
                    "answer": [
                        "id": .string(answer.id), "status": .string(answer.status),
                        "problem": .optional(answer.problem),
                        "judgement": answer.judgement ?? .null, "text": .string(answer.text),
                    ]
                ])
            }
        case .waiting(let reason, let queued, let again):
            Console.message(
                "\(TerminalText.safe(reason)); \(queued.map { "\(readings($0)) queued, " } ?? "")"
                    + "next attempt in \(again.secondsText)")
        }
    }
}
