// What `make test-linux` runs inside its machine: each step on a line, "ok" or "FAIL", and the exit status says whether
// all went well. The first argument names the part.
import Foundation

let arguments = CommandLine.arguments
switch arguments.count > 1 ? arguments[1] : "" {
case "central": await CentralChecks.run()
case "restart": await RestartChecks.run()
case "peripheral": await PeripheralPart.run()
case "visit": await VisitChecks.run()
default:
    say("usage: HaraldLinuxChecks central|restart|peripheral|visit (the adapter is $HARALD_ADAPTER)")
    exit(64)
}
exit(Checks.failures == 0 ? 0 : 1)
