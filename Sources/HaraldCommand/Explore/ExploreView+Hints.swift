import Explorer
import Harald
import TerminalScreen

extension ExploreView {
    /// The most useful keys in the current state.
    func hints(_ data: ExploreData) -> [String] {
        let isConnected = (data.connection?.phase ?? .disconnected) != .disconnected
        switch page {
        case .devices:
            return [
                "enter open", "/ filter", "s sort", "f favourite", isConnected ? "c disconnect" : "c connect",
                data.isScanning ? "space pause" : "space scan", "l log", "? help", "q quit",
            ]
        case .device(let id):
            if !isConnected {
                let isConnectable = data.detail?.device.isConnectable ?? true
                return (isConnectable ? ["c connect"] : [])
                    + ["tab view", "f favourite", "l log", "esc back", "? help", "q quit"]
            }
            if tab(of: id, data) == .advertisement {
                return ["tab view", "c disconnect", "l log", "esc back", "q quit"]
            }
            return abilities(data) + [
                "enter values", "R read all", "p pair", "x clone", "c disconnect", "tab view", "l log", "esc back",
                "? help",
            ]
        case .attribute: return abilities(data) + ["l log", "esc back", "? help", "q quit"]
        case .log: return ["e export", "a all or one device", "esc back", "? help", "q quit"]
        case .help: return ["esc back", "q quit"]
        }
    }

    private func abilities(_ data: ExploreData) -> [String] {
        guard let row = attribute(data) else { return [] }
        let writes = row.writes
        return [
            row.isReadable ? "r read" : nil, writes.withResponse || writes.withoutResponse ? "w write" : nil,
            row.isSubscribable ? (row.isSubscribed ? "n stop" : "n notify") : nil,
        ].compactMap { $0 }
    }
}
