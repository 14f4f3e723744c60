/// What the scheduler of ACL packets knows of one link.
struct LinkFlow {
    /// Packets in the controller that it has not reported as completed.
    var inFlight = 0
    /// Frames that wait for credits.
    var queue = FrameQueue()
    /// Whether somebody asked for room and did not get it.
    var wantsRoom = false
    /// Whether the link stands in the line for credits.
    var isInLine = false
    /// How many packets the link may send in its turn.
    var allowance = Int.max
}
