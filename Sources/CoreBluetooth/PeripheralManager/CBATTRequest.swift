import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// A request of a central to read or to write a value.
open class CBATTRequest: NSObject {
    /// Answers the request. Writes that belong together share one responder; only the first answer has an effect.
    enum Responder {
        case read((Result<[UInt8], ATTErrorCode>) -> Void)
        case write((Result<Void, ATTErrorCode>) -> Void)
        /// The central expects no response.
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

    /// Unavailable: requests are received from centrals.
    @available(*, unavailable)
    public override init() {
        // Proof: the initializer is unavailable, so no code can call it.
        fatalError("CBATTRequest has no public initializer")
    }

    /// The central that made the request.
    open var central: CBCentral { who }
    /// The characteristic to be read or written.
    open var characteristic: CBCharacteristic { what }
    /// The offset of the first octet.
    open var offset: Int { position }
    /// The value to be written; or the value that was read, from ``offset`` on, to be set before a read is answered.
    open var value: Data? {
        get { PropertyLock.read { ownValue } }
        set { PropertyLock.replace(newValue) { swap(&ownValue, &$0) } }
    }
}
