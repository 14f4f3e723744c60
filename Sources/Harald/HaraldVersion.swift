/// The version of Harald. It follows Semantic Versioning.
public enum HaraldVersion {
    /// The version of this release, such as "0.9.0".
    public static let current = "0.9.0"
}
