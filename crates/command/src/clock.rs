//! The processor time of this process. Unlike wall time it does not depend on the other load of the machine.

use std::time::Duration;

/// The processor time used so far, by all threads.
#[cfg(target_os = "linux")]
pub fn cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

/// Not available on this system.
#[cfg(not(target_os = "linux"))]
pub fn cpu_time() -> Option<Duration> {
    None
}
