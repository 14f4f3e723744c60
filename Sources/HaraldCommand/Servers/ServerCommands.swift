import ArgumentParser
import HealthHub
import WebServer

/// The commands that serve pages or send readings to a server.
enum ServerCommands {
    static let all: [any ParsableCommand.Type] = [
        MonitorCommand.self, GatewayCommand.self, HubProgram.self, ServeCommand.self,
    ]
    /// The names of those that this program was built without.
    static let absent: [String] = []
}

extension WebServerError: FailureWithStatus {
    var exitStatus: ExitStatus {
        switch self {
        case .addressInUse, .cannotListen: .noAdapter
        case .passwordRequired: .usage
        case .fileNotPrivate, .unusableFile: .failed
        }
    }
}

extension HubProblem: FailureWithStatus {
    var exitStatus: ExitStatus { code.exitStatus }
}
