/// Where a device stands, in metres along three axes.
public struct AirPosition: Hashable, Sendable {
    /// Metres along the first axis.
    public var x: Double
    /// Metres along the second axis.
    public var y: Double
    /// Metres along the third axis.
    public var z: Double

    /// A place; the axes not given are 0.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The middle of everything.
    public static let origin = AirPosition()

    /// Metres from here to `other`.
    public func distance(to other: AirPosition) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }
}
