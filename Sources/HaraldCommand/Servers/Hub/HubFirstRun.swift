import Foundation
import HealthHub
import HealthHubWeb
import JSON
import TerminalScreen

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
        guard !Task.isCancelled, await assignDevices(to: person), !Task.isCancelled else { return }
        let sentences = (try? await server.sentences(of: person)) ?? []
        for sentence in sentences { Console.message(TerminalText.safe(sentence)) }
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
        var change = PersonChange()
        change.diabetes = await isTrue(
            "Do you have diabetes? [y/n, Enter: without it most values of glucose are not judged] ")
        change.pregnant = await isTrue("Are you pregnant, or gave birth in the last six weeks? [y/n, Enter: no] ")
        while let height = await TerminalInput.line("Your height, such as 172 cm [Enter: weights are not judged]: "),
            !height.isEmpty
        {
            do {
                _ = try PersonSettings.height(height)
                change.height = .init(stringLiteral: height)
                break
            } catch { Console.message(ProgramError(error).message) }
        }
        if await isTrue(
            "Are you in the United States, where other limits of blood pressure are usual? [y/n, Enter: no] ") == true
        {
            change.guideline = .accAHA
        }
        if change != PersonChange() { _ = await perform(.changePerson(id: person, change)) }
    }

    /// Asks until the answer is yes, no or nothing.
    private func isTrue(_ question: String) async -> Bool? {
        while let answer = await TerminalInput.line(question)?.lowercased(), !answer.isEmpty {
            switch answer {
            case "y", "yes": return true
            case "n", "no": return false
            default: Console.message("answer y or n, or press Enter")
            }
        }
        return nil
    }

    /// - Returns: false if nothing can be measured now.
    private func assignDevices(to person: Int64) async -> Bool {
        Console.message(
            "looking for devices for \(Self.search.components.seconds) s: switch them on, step on the scale")
        monitor.start()
        try? await Task.sleep(for: Self.search)
        guard !Task.isCancelled else { return false }
        let (devices, problem) = (monitor.status.devices, monitor.status.problem)
        if let problem {
            Console.message("\(problem); 'harald monitor' on another machine can send readings to this hub")
            return false
        }
        guard !devices.isEmpty else {
            Console.message("no device was found; 'harald hub assign DEVICE \(person)' assigns one later")
            return true
        }
        func name(_ index: Int) -> String { devices[index].name.isEmpty ? "without a name" : devices[index].name }
        for index in devices.indices { Console.message("  \(index + 1)  \(name(index))  \(devices[index].address)") }
        let question = "Which of them are yours? Numbers, such as 1 2 [Enter: none]: "
        while let text = await TerminalInput.line(question), !text.isEmpty {
            let numbers = text.split { $0 == " " || $0 == "," }.map { Int($0) ?? 0 }
            guard numbers.allSatisfy({ devices.indices.contains($0 - 1) }) else {
                Console.message("answer with numbers from 1 to \(devices.count), or press Enter")
                continue
            }
            for index in numbers.map({ $0 - 1 }) {
                let command = HubCommand.assign(device: devices[index].address, person: person, user: nil)
                guard let text = await perform(command)?.items.first?.text else { continue }
                Console.message("\(name(index)): \(text.prefix { !$0.isNewline })")
            }
            break
        }
        return true
    }
}
