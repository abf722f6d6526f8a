"""The process of the kernel, which Jupyter starts with the file that names its sockets."""

from ipykernel.kernelapp import IPKernelApp

from minischeme.jupyter.kernel import SchemeKernel
from minischeme.system.collector import collect_seldom

if __name__ == "__main__":
    collect_seldom()
    IPKernelApp.launch_instance(kernel_class=SchemeKernel)
