import Explorer
import Synchronization

/// The output of the demonstration: headings and lines, or JSON Lines.
final class DemoReport: Sendable {
    private let asJSON: Bool
    private let step = Mutex(0)

    init(asJSON: Bool) { self.asJSON = asJSON }

    /// True if a table may be redrawn.
    var isLive: Bool { !asJSON && Terminal.isLive }

    /// Starts a step.
    func heading(_ text: String) {
        CommandDeadline.shared.progress()
        let number = step.withLock { step in
            step += 1
            return step
        }
        if asJSON {
            Console.json(["step": .int(number), "title": .string(text)])
        } else {
            Console.line((number > 1 ? "\n" : "") + Style.bold.apply("\(number). \(text)"))
        }
    }

    /// Prints a line within a step, cut to the width of the terminal.
    func line(_ text: String, _ object: JSONValue? = nil) {
        CommandDeadline.shared.progress()
        if asJSON {
            let number = step.withLock { $0 }
            Console.json(["step": .int(number), "result": object ?? .string(text)])
        } else {
            let safe = "   " + TerminalText.safe(text)
            Console.line(
                Terminal.isLive ? TerminalText.cut(safe, to: Terminal.size.columns, glyphs: Terminal.glyphs) : safe)
        }
    }

    /// Prints a text unless the output is JSON.
    func note(_ text: String) {
        if !asJSON { Console.line(text) }
    }

    /// Suggests the next commands.
    func farewell(_ invocation: Invocation) {
        let commands = [
            invocation.command("scan"),
            invocation.command("read", "polar", "battery/battery-level"),
            invocation.command("notify", "polar", "180D/2A37", "--count", "5"),
            invocation.command("explore"),
            ServerCommands.absent.isEmpty
                ? invocation.command("serve")
                // The first `make run` builds no server.
                : "make run ARGS=\(Invocation.quoted("serve --adapter \(invocation.adapter)"))",
        ]
        if asJSON {
            Console.json(["try": .array(commands.map { .string($0) })])
        } else {
            Console.line("\nTry:")
            for command in commands { Console.line("  " + command) }
        }
    }
}
