extension Duration {
    /// "2 s", "0.5 s".
    var secondsText: String {
        let milliseconds = Int((self / .milliseconds(1)).rounded())
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
}
