import ArgumentParser
import Harald

struct DoctorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check whether Bluetooth works on this machine, and report remedies.",
        discussion: """
            Examines the kernel, the controllers, radio switches, firmware, bluetoothd, D-Bus, permissions, and the \
            restrictions of a container or a virtual machine. It changes nothing. With --json, one object: ready, \
            adapter (what 'auto' selects), and findings, each with subject, level (ok, note, problem), text and cure.

            The exit status is 0 if a scan would work, otherwise 69.

            EXAMPLES
              harald doctor
              harald doctor --json
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    func perform() async throws {
        var facts = MachineReader().facts()
        await facts.askBlueZ()
        let diagnosis = Diagnosis(facts)
        if json {
            Console.json(diagnosis.json)
        } else {
            for line in diagnosis.lines(width: Terminal.width) { Console.line(line) }
        }
        if !diagnosis.isReady { throw ExitCode(ExitStatus.noAdapter.rawValue) }
    }
}
