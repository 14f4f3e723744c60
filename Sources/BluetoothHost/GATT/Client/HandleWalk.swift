import BluetoothModel

/// Walks through a range of handles with one kind of request, each beginning where the last response ended, until the
/// server has nothing more or the range is used up (Core 6.0, Vol 3, Part G, 4.4 to 4.7).
///
/// It ends whatever the server answers: a response that does not advance is an error.
final class HandleWalk<Found> {
    /// What one response told, and the last handle that it covers.
    typealias Step = (found: [Found], last: UInt16)

    private let range: ClosedRange<UInt16>
    private let bearer: ATTBearer
    private let operation: ATTOperation
    private let request: (ClosedRange<UInt16>) -> ATTRequest
    private let parse: (ByteView, ClosedRange<UInt16>) throws(RadioError) -> Step
    private let completion: (Result<[Found], RadioError>) -> Void
    private var found: [Found] = []
    private var asked: ClosedRange<UInt16>

    init(
        _ range: ClosedRange<UInt16>, bearer: ATTBearer, operation: ATTOperation,
        request: @escaping (ClosedRange<UInt16>) -> ATTRequest,
        parse: @escaping (ByteView, ClosedRange<UInt16>) throws(RadioError) -> Step,
        completion: @escaping (Result<[Found], RadioError>) -> Void
    ) {
        self.range = range
        self.bearer = bearer
        self.operation = operation
        self.request = request
        self.parse = parse
        self.completion = completion
        asked = range
    }

    /// Waits for its turn; as the continuation of a procedure whose turn it is, it goes first.
    func start(asContinuation: Bool = false) {
        if asContinuation { return proceed() }
        bearer.request(request(asked), for: operation) { [self] in received($0) }
    }

    private func proceed() { bearer.proceed(request(asked), for: operation) { [self] in received($0) } }

    private func received(_ result: Result<ByteView, RadioError>) {
        switch result {
        case .success(let response):
            let step: Step
            do { step = try parse(response, asked) } catch { return completion(.failure(error)) }
            guard asked.contains(step.last), !step.found.isEmpty else {
                return completion(.failure(.invalidResponse("the discovery does not advance")))
            }
            found += step.found
            guard step.last < range.upperBound else { return completion(.success(found)) }
            asked = step.last + 1...range.upperBound
            proceed()
        case .failure(.att(.attributeNotFound, _)):
            completion(.success(found))
        case .failure(let error):
            completion(.failure(error))
        }
    }
}
