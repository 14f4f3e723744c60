import ArgumentParser
import Foundation
import Workbench

/// The option `--record` of the explorers.
struct RecordOption: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Write what is done to a script for 'harald run', without passkeys; an existing file is not replaced.",
            valueName: "file"), completion: .file())
    var record: String?

    /// Returns the recorder; nil without the option.
    /// - Throws: ``ProgramError`` if the file exists or cannot be written.
    func recorder() throws -> ScriptRecorder? {
        guard let record else { return nil }
        let file = open(record, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            throw ProgramError(
                .usage,
                errno == EEXIST
                    ? "\(record) already exists; name another file for --record"
                    : "\(record) cannot be written: \(String(cString: strerror(errno)))")
        }
        close(file)
        return ScriptRecorder(path: record)
    }

    /// Reports the path of the script, or the reason why it could not be written.
    func report(_ recorder: ScriptRecorder?) {
        guard let recorder, let record else { return }
        if let problem = recorder.finish() {
            Console.message("\(record) could not be written: \(problem)")
        } else {
            let passkey = recorder.needsPasskey ? " --set passkey=..." : ""
            let command = "harald run \(Invocation.quoted(record))\(passkey)"
            Console.message("what was done is in \(record); '\(command)' runs it")
        }
    }
}
