import BluetoothBackend
import BluetoothModel

/// A link that refuses each operation that it does not implement itself.
package protocol RefusingLink: PeripheralLink {
    /// Fails an operation.
    func refusal<Value>(_ completion: @escaping (Result<Value, RadioError>) -> Void) -> OperationID
}

extension RefusingLink {
    package var mtu: Int { 23 }
    package var parameters: ConnectionParameters? { nil }

    package func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void)
        -> OperationID
    {
        refusal(completion)
    }
    package func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID {
        refusal(completion)
    }
    package func readPHY(timeout: Duration?, completion: @escaping (Result<LinkPHY, RadioError>) -> Void) -> OperationID
    {
        refusal(completion)
    }
    package func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration?,
        completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func updateParameters(
        _ request: ConnectionParametersRequest, timeout: Duration?,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
    package func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID { refusal(completion) }
}
