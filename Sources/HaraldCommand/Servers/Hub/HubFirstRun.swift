import Foundation
import HealthHub
import HealthHubWeb
import JSON

/// The questions of a new hub, for a person at the terminal. The pages ask the same ones.
struct HubFirstRun: Sendable {
    let server: HubServer
    let monitor: HubMonitor

    /// The time in which devices are looked for.
    private static let search = Duration.seconds(15)

    /// Returns true if nobody is in the store yet, and a person can answer.
    func isDue() async -> Bool {
        guard TerminalInput.isInteractive, let answer = try? await server.perform(.listPeople) else { return false }
        return answer.items.isEmpty && answer.code == nil
    }

    /// Asks until an answer is missing: the pages, or the commands, do the rest.
    func run() async {
        Console.message(
            "nobody is in this hub yet: answer here, or open the login URL, which asks the same; Enter skips a question"
        )
        monitor.setQuiet(true)
        defer { monitor.setQuiet(false) }
        guard let person = await addPerson(), !Task.isCancelled else { return }
        await askDetails(of: person)
        // Ctrl-C at a question ends the hub.
        guard !Task.isCancelled else { return }
        await assignDevices(to: person)
        guard !Task.isCancelled else { return }
        Console.message("take a measurement now: its range appears here, and on the pages")
    }

    private func perform(_ command: HubCommand) async -> HubAnswer? {
        do {
            let answer = try await server.perform(command)
            if answer.code == nil { return answer }
            Console.message(answer.problem ?? "it failed")
        } catch {
            Console.message(ProgramError(error).message)
        }
        return nil
    }

    private func addPerson() async -> Int64? {
        guard let name = await TerminalInput.line("Your name: "), !name.isEmpty else { return nil }
        while let born = await TerminalInput.line("Your date of birth, such as 1961-04-30: "), !born.isEmpty {
            let new = PersonChange(name: name, born: born)
            guard let item = await perform(.addPerson(new))?.items.first else { continue }
            return (try? JSONValue(parsing: Array(item.json.utf8)))?["id"]?.string.flatMap { Int64($0) }
        }
        return nil
    }

    /// The step that can be skipped, with what is not judged then.
    private func askDetails(of person: Int64) async {
        func isTrue(_ question: String) async -> Bool? {
            switch await TerminalInput.line(question)?.lowercased().first {
            case "y": true
            case "n": false
            default: nil
            }
        }
        var change = PersonChange()
        change.diabetes = await isTrue(
            "Do you have diabetes? [y/n, Enter: without it most values of glucose are not judged] ")
        change.pregnant = await isTrue("Are you pregnant, or gave birth in the last six weeks? [y/n, Enter: no] ")
        let height = await TerminalInput.line("Your height, such as 172 cm [Enter: weights are not judged]: ") ?? ""
        if !height.isEmpty { change.height = .init(stringLiteral: height) }
        if await isTrue(
            "Are you in the United States, where other limits of blood pressure are usual? [y/n, Enter: no] ") == true
        {
            change.guideline = .accAHA
        }
        if change != PersonChange() { _ = await perform(.changePerson(id: person, change)) }
    }

    private func assignDevices(to person: Int64) async {
        Console.message(
            "looking for devices for \(Self.search.components.seconds) s: switch them on, step on the scale")
        monitor.start()
        guard (try? await Task.sleep(for: Self.search)) != nil else { return }
        let status = monitor.status
        if let problem = status.problem { return Console.message(problem) }
        guard !status.devices.isEmpty else {
            return Console.message("no device was found; 'harald hub assign DEVICE \(person)' assigns one later")
        }
        for (index, device) in status.devices.enumerated() {
            Console.message(
                "  \(index + 1)  \(device.name.isEmpty ? "without a name" : device.name)  \(device.address)")
        }
        let text = await TerminalInput.line("Which of them are yours? Numbers, such as 1 2 [Enter: none]: ") ?? ""
        for number in text.split(whereSeparator: { !$0.isNumber }).compactMap({ Int($0) })
        where status.devices.indices.contains(number - 1) {
            let device = status.devices[number - 1]
            if let answer = await perform(.assign(device: device.address, person: person, user: nil)) {
                Console.message(
                    "\(device.name.isEmpty ? device.address : device.name): \(answer.items.first?.text.prefix { !$0.isNewline } ?? "")"
                )
            }
        }
    }
}
