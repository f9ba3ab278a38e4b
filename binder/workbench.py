"""The workbench as an app: Panel's extension of the Jupyter server shows it at `panel-preview/render/binder/workbench.py`."""

import allotment

allotment.Workbench().servable(title="allotment")
