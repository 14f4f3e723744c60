import ArgumentParser
import Foundation

protocol ProgramCommand: AsyncParsableCommand, Sendable {
    /// Runs the command.
    /// - Throws: any error; it becomes a line on standard error and the exit status.
    func perform() async throws
}

extension ProgramCommand {
    func run() async throws {
        let command = self
        let task = Task { try await command.perform() }
        Interruption.shared.install()
        Interruption.shared.watch(task)
        let result = await task.result
        Terminal.restore()
        switch (Interruption.shared.reason, result) {
        case (.outputClosed, _): throw ExitCode(ExitStatus.success.rawValue)
        case (.outputFailed(let code), _):
            Console.message("cannot write the output: \(String(cString: strerror(code)))")
            throw ExitCode(ExitStatus.failed.rawValue)
        // A command that succeeded before the signal arrived counts as successful.
        case (_, .success): return
        case (.signal(let number), .failure): throw ExitCode(128 + number)
        case (.timeout(nil), .failure): return
        case (.timeout(let message?), .failure):
            Console.message(message)
            throw ExitCode(ExitStatus.timeout.rawValue)
        case (nil, .failure(let error)):
            // The parser handles its own errors.
            if error is ExitCode || error is ValidationError || error is CleanExit { throw error }
            let problem = ProgramError(error)
            Console.message(problem.message)
            throw ExitCode(problem.status.rawValue)
        }
    }
}
