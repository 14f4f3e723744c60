/// The position of a device, in metres along three axes.
public struct AirPosition: Hashable, Sendable {
    /// Metres along the first axis.
    public var x: Double
    /// Metres along the second axis.
    public var y: Double
    /// Metres along the third axis.
    public var z: Double

    /// Creates a position; omitted coordinates are 0.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The point with all coordinates 0.
    public static let origin = AirPosition()

    /// Returns the distance to `other`, in metres.
    public func distance(to other: AirPosition) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }
}
