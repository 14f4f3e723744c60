import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// A central's wish to read or to write a value.
open class CBATTRequest: NSObject {
    /// How the wish is answered. Writes that belong together share one; only the first answer counts.
    enum Responder {
        case read((Result<[UInt8], ATTErrorCode>) -> Void)
        case write((Result<Void, ATTErrorCode>) -> Void)
        /// The central expects no answer.
        case none
    }

    private let who: CBCentral
    private let what: CBCharacteristic
    private let position: Int
    private var ownValue: Data?
    let responder: Transfer<Responder>

    init(
        central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, responder: Transfer<Responder>
    ) {
        who = central
        what = characteristic
        position = offset
        ownValue = value
        self.responder = responder
        super.init()
    }

    /// Requests come from centrals.
    @available(*, unavailable)
    public override init() {
        // Never called: it is unavailable.
        fatalError("requests come from centrals")
    }

    /// Who asks.
    open var central: CBCentral { who }
    /// What is to be read or written.
    open var characteristic: CBCharacteristic { what }
    /// From which octet on.
    open var offset: Int { position }
    /// What is to be written; or what was read, from ``offset`` on, to be set before a read is answered.
    open var value: Data? {
        get { PropertyLock.read { ownValue } }
        set { PropertyLock.replace(newValue) { swap(&ownValue, &$0) } }
    }
}
