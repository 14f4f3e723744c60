#if Programs
import ArgumentParser
import Harald

/// `harald doctor`
struct DoctorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Say whether Bluetooth works on this machine, and if not, what to do.",
        discussion: """
            Looks at the kernel, the controllers, radio switches, firmware, bluetoothd, D-Bus, permissions, and at \
            what a container or a virtual machine hides. Nothing is changed. With --json it is one object: ready, \
            adapter (what 'auto' would take), and findings, each with subject, level (ok, note, problem), text and \
            cure.

            The exit status is 0 where a scan would work, else 69.

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
#endif
