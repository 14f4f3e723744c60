import BluetoothHCI
import BluetoothModel

/// The link layer procedures of one link, by kind.
final class LinkProcedures {
    let parameters: LinkProcedureQueue<ConnectionParameters>
    let phy: LinkProcedureQueue<LinkPHY>
    let features: LinkProcedureQueue<LEFeatures>
    let version: LinkProcedureQueue<RemoteVersion>
    let encryption: LinkProcedureQueue<LinkSecurity>

    init(time: HostTime) {
        parameters = LinkProcedureQueue(time: time)
        phy = LinkProcedureQueue(time: time)
        features = LinkProcedureQueue(time: time)
        version = LinkProcedureQueue(time: time)
        encryption = LinkProcedureQueue(time: time)
    }

    /// Ends all procedures with `error`.
    func close(_ error: RadioError) {
        parameters.close(error)
        phy.close(error)
        features.close(error)
        version.close(error)
        encryption.close(error)
    }
}
